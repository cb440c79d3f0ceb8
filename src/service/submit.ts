import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError } from "../contract/errors.js";
import { parseStored, toJsonText } from "../contract/json/json-text.js";
import type { JsonText } from "../contract/operation.js";
import { parseStrictJson } from "../formats/json.js";
import type { ServiceContext } from "../http/context.js";
import { accept, reportAccepted } from "../operations/submission/accept.js";
import { type Accepted, toMessage } from "../operations/submission/accepted.js";
import { checkPayload } from "../operations/submission/check-payload.js";
import { recordIn } from "../operations/submission/creation/record-in.js";
import type { CheckedSubmission } from "../operations/submission/earlier-operation.js";
import { toSubmission } from "../operations/submission/to-submission.js";
import type { CreatedResource } from "../ports/create.js";
import { submitChannel, traced } from "../telemetry/channels.js";
import { knownDefinition, readCall } from "./call.js";
import { type GivenOptions, readSubmission, SUBMISSION_OPTIONS } from "./submission-options.js";

/** Options of {@link submit} for any back end. */
export interface AnySubmitOptions extends GivenOptions {
  readonly tx?: unknown;
}

/** Result of a submission. If you passed a transaction, it holds once the transaction commits. */
export interface Submitted {
  /** Id for `service.get`, `service.cancel` and the status endpoint. */
  readonly operationId: string;
  /** Status of the operation: `pending`, or the status of the earlier operation with this key. */
  readonly status: "pending" | "completed" | "failed";
  /** Whether an earlier submission used the same key. */
  readonly replayed: boolean;
  /** Resource, if the service creates it before it replies. */
  readonly resource?: CreatedResource;
}

/** Submits work without HTTP. See `Service.submit`. */
export async function submit(
  context: ServiceContext,
  definition: OperationDefinition,
  input: unknown,
  given: AnySubmitOptions | undefined,
): Promise<Submitted> {
  const known = knownDefinition(context, definition);
  const options = readCall(context, "submit", given, { ...SUBMISSION_OPTIONS, tx: true });
  const { tenant, tx } = options;
  const accepted = await traced(
    submitChannel,
    () => ({ definition: known.name, tenant }),
    async (message) => {
      const checked = await check(context, known, input, options, message?.meta);
      if (tx !== undefined) return recordIn(context, checked, tx);
      const recorded = await accept(context, checked);
      reportAccepted(context, checked, recorded);
      return recorded;
    },
    toMessage,
  );
  return toSubmitted(accepted);
}

/** Checks everything about a submission that needs no store. */
export async function check(
  context: ServiceContext,
  definition: OperationDefinition,
  given: unknown,
  options: AnySubmitOptions & { readonly tenant: string },
  meta: JsonText | undefined,
): Promise<CheckedSubmission> {
  const { runtime, settings } = context;
  // First, because the caller may change its object as soon as this function waits.
  const value = parseStrictJson(toText(given, settings.maxBodyBytes), settings);
  const payload = await checkPayload(definition, { value }, runtime.hash);
  const request = await readSubmission(context, definition, options, meta);
  return { definition, submission: toSubmission(context, request, payload), output: payload.output };
}

function toText(given: unknown, maxBytes: number): JsonText {
  try {
    return toJsonText(given, maxBytes, "maxBodyBytes");
  } catch (cause) {
    throw new AsyncReplyError("MALFORMED_BODY", (cause as AsyncReplyError).detail, { cause });
  }
}

/** Returns an accepted submission in the form for users. */
export function toSubmitted({ operationId, operation, replayed, resource }: Accepted): Submitted {
  const { state = "pending" } = operation ?? {};
  const status = state === "preparing" ? "pending" : state;
  if (resource === undefined) return { operationId, status, replayed };
  return { operationId, status, replayed, resource: parseStored(resource) as CreatedResource };
}
