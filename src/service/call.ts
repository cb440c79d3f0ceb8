import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError } from "../contract/errors.js";
import { PRINCIPAL_RULE, TENANT_RULE, tenantProblem } from "../contract/operation.js";
import { checkOptions, misuse, type OptionNames, shown } from "../contract/options.js";
import type { ServiceContext } from "../http/context.js";

/**
 * Returns the service's definition with the name of the passed one.
 *
 * Throws `INVALID_OPTION`, listing the known definitions.
 */
export function knownDefinition(
  { definitions }: Pick<ServiceContext, "definitions">,
  definition: OperationDefinition,
): OperationDefinition {
  const name: unknown = (definition as Partial<OperationDefinition> | undefined)?.name;
  const known = definitions.find((each) => each.name === name);
  if (known !== undefined) return known;
  const names = definitions.map((each) => each.name).join(", ");
  throw misuse(
    typeof name === "string"
      ? `Unknown definition "${name}". Known definitions: ${names}.`
      : `Expected a definition, not ${shown(definition)}. Pass what defineOperation() returned. Known definitions: ${names}.`,
  );
}

/** Tenant of calls that name none, in a service without `authorize`. */
const DEFAULT_TENANT = "default";

/**
 * Checks the names of the options of a call, its `tenant` and its `principal`. Fills in the tenant if the service has no `authorize`: then
 * no HTTP request has another one.
 *
 * Throws `INVALID_OPTION`.
 */
export function readCall<
  Options extends { readonly tenant?: string | undefined; readonly principal?: string | undefined },
>(
  { settings }: ServiceContext,
  method: string,
  given: Options | undefined,
  names: OptionNames<Options>,
): Options & { readonly tenant: string } {
  const fillsIn = settings.authorize === undefined;
  const options = given === undefined && fillsIn ? ({} as Options) : given;
  if (options === undefined)
    throw misuse(
      `service.${method} has no options. Pass at least the owner of the operation: \`{ tenant: "…" }\`.`,
    );
  checkOptions(options, names, `service.${method}`);
  const { tenant, principal } = options as Options;
  checkPrincipal(principal);
  if (tenant === undefined && fillsIn) return { ...(options as Options), tenant: DEFAULT_TENANT };
  const problem = tenantProblem(tenant);
  if (problem === undefined) return options as Options & { readonly tenant: string };
  throw new AsyncReplyError("INVALID_OPTION", `Option \`tenant\` ${problem}. ${TENANT_RULE}`);
}

/** Throws `INVALID_OPTION`. */
export function checkPrincipal(principal: string | undefined): void {
  const problem = principal === undefined ? undefined : tenantProblem(principal);
  if (problem !== undefined)
    throw new AsyncReplyError("INVALID_OPTION", `Option \`principal\` ${problem}. ${PRINCIPAL_RULE}`);
}
