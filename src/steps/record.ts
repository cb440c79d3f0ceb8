import { AsyncReplyError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import { atomicSubmissions, type Backend, type RecordResult, type Submission } from "../ports/backend.js";
import type { Clock } from "../ports/runtime.js";
import { withinTime } from "./within-time.js";

export type Recorded =
  /** The operation is new, and pending or preparing as was asked. `replayed` where an earlier request had got half-way. */
  | { readonly outcome: "created"; readonly operationId: string; readonly replayed: boolean }
  | { readonly outcome: "replayed"; readonly operation: Operation }
  | { readonly outcome: "key-reused" };

export interface RecordOptions {
  readonly clock: Clock;
  /** After so long the reply is 503, and nothing is created any more. */
  readonly recordTimeoutMs: number;
}

/**
 * RECORD: binds the key and creates the operation, after which the submission is accepted. Every way through may be
 * repeated with the same arguments, so that a retry of a half-done submission helps it to its end.
 *
 * @throws AsyncReplyError `STORE_UNAVAILABLE` when the stores did not answer in time, and what they throw
 */
export function record<Tx>(
  backend: Backend<Tx>,
  submission: Submission,
  { clock, recordTimeoutMs }: RecordOptions,
): Promise<Recorded> {
  const submissions = atomicSubmissions(backend);
  const limited = <T>(work: Promise<T>): Promise<T> =>
    withinTime(work, recordTimeoutMs, clock, notRecordedInTime);
  if (submissions === undefined)
    return limited(recordComposed(backend, submission, deadline(clock, recordTimeoutMs)));
  // The time limit goes around the store's own promise: where that has settled already, no timer is needed.
  return limited(submissions.record(submission)).then((result) => fromResult(result, submission));
}

function fromResult(result: RecordResult, { operation, fingerprint }: Submission): Recorded {
  if (result.outcome === "created") return { outcome: "created", operationId: operation.id, replayed: false };
  if (result.fingerprint !== fingerprint) return { outcome: "key-reused" };
  return { outcome: "replayed", operation: result.operation };
}

/** The two stores one after the other: the claim fixes the operation id, so that creation can be repeated by anybody. */
async function recordComposed(
  { operations, idempotency }: Backend,
  { operation, fingerprint, initial }: Submission,
  checkTime: () => void,
): Promise<Recorded> {
  const { id, scope, definition, key } = operation;
  if (key === undefined) {
    await operations.create(operation, initial);
    return { outcome: "created", operationId: id, replayed: false };
  }
  const claim = await idempotency.claim({ scope, definition, key, fingerprint, operationId: id });
  const replayed = claim.outcome === "exists";
  if (replayed && claim.fingerprint !== fingerprint) return { outcome: "key-reused" };
  const operationId = replayed ? claim.operationId : id;
  const known = replayed ? await operations.get(operationId, scope) : undefined;
  if (known !== undefined) return { outcome: "replayed", operation: known };
  // A claim that was read long ago may have been released and its operation purged since: creating it then would run it
  // a second time. The purge waits longer than this between the two.
  checkTime();
  const created = await operations.create({ ...operation, id: operationId }, initial);
  if (created === "created") return { outcome: "created", operationId, replayed };
  const others = await operations.get(operationId, scope);
  if (others === undefined)
    throw new AsyncReplyError("CORRUPT_RECORD", "The operation exists and cannot be read.");
  return { outcome: "replayed", operation: others };
}

function deadline(clock: Clock, ms: number): () => void {
  const end = clock.now() + ms;
  return () => {
    if (clock.now() >= end) throw notRecordedInTime();
  };
}

function notRecordedInTime(): AsyncReplyError {
  return new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time.");
}
