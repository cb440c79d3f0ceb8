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
  { input, key, fingerprint }: Pick<ReadSubmission, "input" | "key" | "fingerprint">,
): Submission {
  const id = service.runtime.newId();
  const { name } = definition;
  // Written out, because a spread costs more than all the rest of this.
  if (key === undefined) return { operation: { id, scope, definition: name, input }, fingerprint };
  return { operation: { id, scope, definition: name, input, key }, fingerprint };
}

/** A submission whose key has an operation already. */
export function replayOf(operation: Operation): Accepted {
  const { id, resource } = operation;
  const created = resource === undefined ? {} : { resource };
  return { operationId: id, replayed: true, announce: false, operation, ...created };
}

/** What a recorded submission can have come to. */
export type Kept = Exclude<Recorded, { readonly outcome: "key-reused" }>;

/**
 * RECORD, with a key that belongs to another payload as an error.
 *
 * @throws AsyncReplyError `IDEMPOTENCY_KEY_REUSED`, `SUBMISSION_UNCERTAIN`
 */
export async function recordSubmission(service: Service, submission: Submission): Promise<Kept> {
  const { backend, settings, runtime } = service;
  try {
    const recorded = await record(backend, submission, {
      clock: runtime.clock,
      recordTimeoutMs: settings.recordTimeoutMs,
    });
    if (recorded.outcome === "key-reused") throw keyReused(service, submission);
    return recorded;
  } catch (error) {
    throw asUncertain(error);
  }
}

/**
 * What the client must know when a store fails in the middle: that nothing is sure, and that repeating the request with
 * its key is safe. Any other error stays what it is.
 */
export function asUncertain(error: unknown): unknown {
  const { code } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code !== "STORE_UNAVAILABLE" && code !== "OVERLOADED") return error;
  const detail =
    "The request may have been accepted. Repeated with the same Idempotency-Key it gives the same operation.";
  return new AsyncReplyError("SUBMISSION_UNCERTAIN", detail, { cause: error });
}

/** The error of a key that belongs to another payload, which the observer is told of. */
export function keyReused({ observe }: Service, { operation }: Submission): AsyncReplyError {
  const { definition, scope } = operation;
  observe({ event: "key.reused", definition, scope });
  const detail = "This Idempotency-Key belongs to a request with another payload.";
  return new AsyncReplyError("IDEMPOTENCY_KEY_REUSED", detail);
}
