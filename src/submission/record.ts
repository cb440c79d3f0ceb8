import { AsyncReplyError, maybeRecorded } from "../contract/errors.js";
import { atomicSubmissions, type Backend, type RecordResult, type Submission } from "../ports/backend.js";
import type { Clock } from "../ports/runtime.js";
import { withinTime } from "../protocol/within-time.js";

export type Recorded =
  /** The operation is new, and pending or preparing as was asked. `replayed` where an earlier request had got half-way. */
  | { readonly outcome: "created"; readonly operationId: string; readonly replayed: boolean }
  /** An earlier request has the key. The caller decides whether it had the same payload. */
  | Exclude<RecordResult, { readonly outcome: "created" }>;

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

function fromResult(result: RecordResult, { operation }: Submission): Recorded {
  if (result.outcome !== "created") return result;
  return { outcome: "created", operationId: operation.id, replayed: false };
}

/** The two stores one after the other: the claim fixes the operation id, so that creation can be repeated by anybody. */
async function recordComposed(
  { operations, idempotency }: Backend,
  { operation, fingerprint, initial }: Submission,
  checkTime: () => void,
): Promise<Recorded> {
  const { id, tenant, definition, key } = operation;
  if (key === undefined) {
    await operations.create(operation, initial);
    return { outcome: "created", operationId: id, replayed: false };
  }
  const claim = await idempotency.claim({ tenant, definition, key, fingerprint, operationId: id });
  const replayed = claim.outcome === "exists";
  const operationId = replayed ? claim.operationId : id;
  const known = replayed ? await operations.get(operationId, tenant).catch(claimed) : undefined;
  const held = replayed ? claim.fingerprint : fingerprint;
  if (known !== undefined) return { outcome: "exists", operation: known, fingerprint: held };
  if (held !== fingerprint) return { outcome: "in-progress", fingerprint: held };
  // A claim that was read long ago may have been released and its operation purged since: creating it then would run it
  // a second time. The purge waits longer than this between the two.
  checkTime();
  const created = await operations.create({ ...operation, id: operationId }, initial).catch(claimed);
  if (created === "created") return { outcome: "created", operationId, replayed };
  const others = await operations.get(operationId, tenant);
  if (others === undefined)
    throw new AsyncReplyError("CORRUPT_RECORD", "The operation exists and cannot be read.");
  return { outcome: "exists", operation: others, fingerprint };
}

/** The key is claimed by now, so another request with it may create the operation. */
function claimed(error: unknown): never {
  throw maybeRecorded(error);
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
