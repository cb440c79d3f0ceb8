import { AsyncReplyError, maybeRecorded } from "../contract/errors.js";
import { atomicSubmissions, type Backend, type RecordResult, type Submission } from "../ports/backend.js";
import type { Clock } from "../ports/runtime.js";
import { type Accepted, replayOf } from "./accepted.js";
import { asUncertain } from "./as-uncertain.js";
import type { SubmissionContext } from "./context.js";
import { type ComparableSubmission, earlierOperation } from "./earlier-operation.js";
import { notInTime, storeAnswer } from "./store-answer.js";

/**
 * RECORD: binds the key and creates the operation, after which the submission is accepted. It may be repeated with the same
 * arguments, so that a retry of a half-done submission helps it to its end.
 *
 * @throws AsyncReplyError `SUBMISSION_UNCERTAIN`, what the stores throw, and what {@link earlierOperation} throws
 */
export async function recordSubmission(
  context: SubmissionContext,
  comparable: ComparableSubmission,
): Promise<Accepted> {
  const { submission } = comparable;
  const { id, delayMs } = submission.operation;
  try {
    // The time limit goes around the store's own promise: if that has settled already, no timer is needed.
    const recorded = await storeAnswer(context, record(context, submission));
    if (recorded.outcome !== "created") return replayOf(earlierOperation(context, comparable, recorded));
    const { operationId = id } = recorded;
    // The sweep announces delayed work when it is due.
    return { operationId, replayed: operationId !== id, announce: delayMs === undefined };
  } catch (error) {
    throw asUncertain(error);
  }
}

/** With the id of the operation, which an earlier request with the key may have chosen. */
type RecordedAs = RecordResult & { readonly operationId?: string };

function record(
  { backend, settings, runtime }: SubmissionContext,
  submission: Submission,
): Promise<RecordedAs> {
  const submissions = atomicSubmissions(backend);
  if (submissions !== undefined) return submissions.record(submission);
  return recordComposed(backend, submission, deadline(runtime.clock, settings.recordTimeoutMs));
}

/** The two stores one after the other: the claim fixes the operation id, so that creation can be repeated by anybody. */
async function recordComposed(
  { operations, idempotency }: Backend,
  { operation, fingerprint, initial }: Submission,
  checkTime: () => void,
): Promise<RecordedAs> {
  const { id, tenant, definition, key } = operation;
  if (key === undefined) {
    await operations.create(operation, initial);
    return { outcome: "created" };
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
  if (created === "created") return { outcome: "created", operationId };
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
    if (clock.now() >= end) throw notInTime();
  };
}
