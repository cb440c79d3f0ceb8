import type { OperationDefinition } from "../contract/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import type { JsonText, Operation } from "../contract/operation.js";
import type { Submission } from "../ports/backend.js";
import type { SubmissionContext } from "./context.js";
import { type ComparableSubmission, earlierOperation } from "./earlier-operation.js";
import { record } from "./record.js";

/** What became of a submission, as far as its caller is concerned. */
export interface Accepted {
  readonly operationId: string;
  /** Whether an earlier submission with this key came first. */
  readonly replayed: boolean;
  /** Whether there is new work to announce. */
  readonly announce: boolean;
  /** The operation of the earlier submission, as it is now. If absent, the operation has just become pending. */
  readonly operation?: Operation;
  /** Makes the reply a 201. */
  readonly resource?: JsonText;
}

/** What a submission is made of, besides its definition and its tenant. */
export interface SubmissionParts {
  readonly key: string | undefined;
  /** The payload as parsed, in RFC 8785 form. */
  readonly input: JsonText;
  readonly fingerprint: string;
  /** How long after the submission the work becomes due. Default: at once. */
  readonly delayMs?: number | undefined;
}

/** The submission that the stores get. Its id is chosen here, once, so that recording can be repeated. */
export function toSubmission(
  { runtime }: Pick<SubmissionContext, "runtime">,
  { name, retentionMs }: OperationDefinition,
  tenant: string,
  { input, key, fingerprint, delayMs }: SubmissionParts,
): Submission {
  const id = runtime.newId();
  if (delayMs !== undefined) {
    const operation = { id, tenant, definition: name, input, retentionMs, delayMs };
    return { operation: key === undefined ? operation : { ...operation, key }, fingerprint };
  }
  // Written out, because a spread costs more than all the rest of this.
  if (key === undefined)
    return { operation: { id, tenant, definition: name, input, retentionMs }, fingerprint };
  return { operation: { id, tenant, definition: name, input, retentionMs, key }, fingerprint };
}

/** A submission whose key already has an operation. */
export function replayOf(operation: Operation): Accepted {
  const { id, resource } = operation;
  const created = resource === undefined ? {} : { resource };
  return { operationId: id, replayed: true, announce: false, operation, ...created };
}

/**
 * RECORD, with a key that belongs to another payload as an error.
 *
 * @throws AsyncReplyError `SUBMISSION_UNCERTAIN`, and what {@link earlierOperation} throws
 */
export async function recordSubmission(
  context: SubmissionContext,
  comparable: ComparableSubmission,
): Promise<Accepted> {
  const { backend, settings, runtime } = context;
  try {
    const recorded = await record(backend, comparable.submission, {
      clock: runtime.clock,
      recordTimeoutMs: settings.recordTimeoutMs,
    });
    if (recorded.outcome !== "created") return replayOf(earlierOperation(context, comparable, recorded));
    const { operationId, replayed } = recorded;
    // The sweep announces delayed work when it is due.
    return { operationId, replayed, announce: comparable.submission.operation.delayMs === undefined };
  } catch (error) {
    throw asUncertain(error);
  }
}

/**
 * Turns a failure of a store in the middle of recording into what the client must know: the outcome is uncertain, and
 * repeating the request with its key is safe. If the store is certain that nothing was recorded, only the event says so. Any
 * other error is returned as it is.
 */
export function asUncertain(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, context } = error;
  if (code !== "STORE_UNAVAILABLE" && code !== "OVERLOADED") return error;
  if (context.recorded === "no") {
    const eventDetail = `${context.eventDetail ?? error.detail} Nothing was recorded.`;
    return new AsyncReplyError(code, error.detail, { ...context, eventDetail });
  }
  const detail =
    "The request may have been accepted. Repeated with the same Idempotency-Key it gives the same operation.";
  return new AsyncReplyError("SUBMISSION_UNCERTAIN", detail, { cause: error });
}
