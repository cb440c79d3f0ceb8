import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError } from "../contract/errors.js";
import { checkOptions, type OptionNames } from "../contract/options.js";
import { TENANT_RULE, tenantProblem } from "../contract/tenant.js";
import type { SubmissionContext, SubmissionSettings } from "../submission/context.js";
import type { Hub } from "../waiting/hub.js";

/** Dependencies shared by everything that a service does in process. */
export interface InProcessContext extends SubmissionContext {
  readonly settings: SubmissionSettings & {
    readonly maxBodyBytes: number;
    readonly maxDepth: number;
    /** Replaces the URI before the name of a problem type. */
    readonly problemBaseUri: string;
    /** Time limit of the check of a `webhookUrl`. Milliseconds. */
    readonly authorizeTimeoutMs: number;
  };
  readonly hub: Hub;
}

/**
 * Returns the service's definition with the name of the passed one.
 *
 * Throws `INVALID_OPTION`, listing the known definitions.
 */
export function knownDefinition(
  { definitions }: Pick<InProcessContext, "definitions">,
  definition: OperationDefinition,
): OperationDefinition {
  const name: unknown = (definition as Partial<OperationDefinition> | undefined)?.name;
  const known = definitions.find((each) => each.name === name);
  if (known !== undefined) return known;
  const names = definitions.map((each) => each.name).join(", ");
  const shown = typeof name === "string" ? `Unknown definition "${name}".` : "Pass a definition.";
  throw new AsyncReplyError("INVALID_OPTION", `${shown} Known definitions: ${names}.`);
}

/** Checks the names of the options of a call, and its `tenant`. Throws `INVALID_OPTION`. */
export function checkCall<Options extends { readonly tenant: string }>(
  method: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  checkOptions(options, names, `service.${method}`);
  const problem = tenantProblem(options.tenant);
  if (problem === undefined) return;
  throw new AsyncReplyError("INVALID_OPTION", `Option \`tenant\` ${problem}. ${TENANT_RULE}`);
}
