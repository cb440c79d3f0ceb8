import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../core/errors.js";
import type { JsonText, Operation } from "../core/operation.js";
import type { Submission } from "../ports/backend.js";
import { type Recorded, record } from "../steps/record.js";
import type { ScopedPrincipal } from "./authorization.js";
import type { Service } from "./context.js";
import type { ReadSubmission } from "./read-submission.js";

/** What became of a submission, as far as the reply is concerned. */
export interface Accepted {
  readonly operationId: string;
  /** An earlier request with this key had got here before. */
  readonly replayed: boolean;
  /** There is new work to announce. */
  readonly announce: boolean;
  /** The operation, where it is not as good as new: else it is pending since now. */
  readonly operation?: Operation;
  /** Makes the reply a 201. */
  readonly resource?: JsonText;
}

/** The submission that the stores get. Its id is chosen here, once, so that recording can be repeated. */
export function toSubmission(
  service: Service,
  definition: OperationDefinition,
  { scope }: ScopedPrincipal,
  { input, key, fingerprint }: ReadSubmission,
): Submission {
  const operation = { id: service.runtime.newId(), scope, definition: definition.name, input };
  return { operation: key === undefined ? operation : { ...operation, key }, fingerprint };
}

/** Records a submission that becomes pending at once. */
export async function acceptSubmission(service: Service, submission: Submission): Promise<Accepted> {
  const recorded = await recordSubmission(service, submission);
  if (recorded.outcome === "replayed") return replayOf(recorded.operation);
  const { operationId, replayed } = recorded;
  return { operationId, replayed, announce: true };
}

/** A submission whose key has an operation already. */
export function replayOf(operation: Operation): Accepted {
  const { id, resource } = operation;
  const created = resource === undefined ? {} : { resource };
  return { operationId: id, replayed: true, announce: false, operation, ...created };
}

/**
 * RECORD, with a key that belongs to another payload as an error.
 *
 * @throws AsyncReplyError `IDEMPOTENCY_KEY_REUSED`, `SUBMISSION_UNCERTAIN`
 */
export async function recordSubmission(
  service: Service,
  submission: Submission,
): Promise<Exclude<Recorded, { readonly outcome: "key-reused" }>> {
  const { backend, settings, runtime, observe } = service;
  const options = { clock: runtime.clock, recordTimeoutMs: settings.recordTimeoutMs };
  const recorded = await orUncertain(record(backend, submission, options));
  if (recorded.outcome !== "key-reused") return recorded;
  const { definition, scope } = submission.operation;
  observe({ event: "key.reused", definition, scope });
  throw new AsyncReplyError(
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key belongs to a request with another payload.",
  );
}

/**
 * Tells the client the one thing it must know when a store fails in the middle: that nothing is sure, and that repeating
 * the request with its key is safe.
 *
 * @throws AsyncReplyError `SUBMISSION_UNCERTAIN`
 */
export async function orUncertain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const unavailable =
      isAsyncReplyError(cause) && (cause.code === "STORE_UNAVAILABLE" || cause.code === "OVERLOADED");
    if (!unavailable) throw cause;
    const detail =
      "The request may have been accepted. Repeated with the same Idempotency-Key it gives the same operation.";
    throw new AsyncReplyError("SUBMISSION_UNCERTAIN", detail, { cause });
  }
}
