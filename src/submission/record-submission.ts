import { AsyncReplyError, maybeRecorded, notRecorded } from "../contract/errors.js";
import { withId } from "../contract/operation.js";
import { atomicSubmissions, type Backend } from "../ports/backend.js";
import type { Clock } from "../ports/runtime.js";
import type { RecordResult, Submission } from "../ports/submission.js";
import { type Accepted, replayOf } from "./accepted.js";
import type { SubmissionContext } from "./context.js";
import { type ComparableSubmission, earlierOperation } from "./earlier-operation.js";
import { asUncertain, ignore, notInTime, storeAnswer } from "./store-answer.js";

/**
 * RECORD: binds the key and creates the operation. The submission is then accepted. The step is repeatable with the
 * same arguments, so a retry completes a submission that was interrupted halfway.
 *
 * Throws `SUBMISSION_UNCERTAIN`, errors of the stores, and errors of {@link earlierOperation}.
 */
export async function recordSubmission(
  context: SubmissionContext,
  comparable: ComparableSubmission,
): Promise<Accepted> {
  const { submission } = comparable;
  const { id } = submission.operation;
  try {
    const call = record(context, submission);
    let early: RecordedAs | undefined;
    // The answer of a store in memory needs no time limit, and none of the functions that one takes.
    call.then((result) => {
      early = result;
    }, ignore);
    await undefined;
    const recorded = early ?? (await recordedInTime(context, submission, call));
    if (recorded.outcome !== "created") return replayOf(earlierOperation(context, comparable, recorded));
    const { operationId = id } = recorded;
    return { operationId, replayed: operationId !== id, ring: true };
  } catch (error) {
    throw asUncertain(error);
  }
}

function recordedInTime(
  context: SubmissionContext,
  submission: Submission,
  call: Promise<RecordedAs>,
): Promise<RecordedAs> {
  return storeAnswer(context, call, {
    tooLate: () => (neverSent(context, submission) ? notRecorded(notInTime()) : notInTime()),
  });
}

/** Gives up on a submission. Returns whether the store has not sent it, and never will. */
function neverSent({ backend }: SubmissionContext, submission: Submission): boolean {
  return atomicSubmissions(backend)?.giveUp?.(submission) === true;
}

/** A result with the id of the operation, which an earlier request with the key may have chosen. */
type RecordedAs = RecordResult & { readonly operationId?: string };

function record(
  { backend, settings, runtime }: SubmissionContext,
  submission: Submission,
): Promise<RecordedAs> {
  const submissions = atomicSubmissions(backend);
  if (submissions !== undefined) return submissions.record(submission);
  return recordComposed(backend, submission, deadline(runtime.clock, settings.recordTimeoutMs));
}

/**
 * Records in two stores, one after the other. The binding fixes the operation id, so any retry can repeat the creation.
 */
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
  const binding = await idempotency.bind({ tenant, definition, key, fingerprint, operationId: id });
  const replayed = binding.outcome === "exists";
  const operationId = replayed ? binding.operationId : id;
  const known = replayed ? await operations.get(operationId, tenant).catch(bound) : undefined;
  const held = replayed ? binding.fingerprint : fingerprint;
  if (known !== undefined) return { outcome: "exists", operation: known, fingerprint: held };
  if (held !== fingerprint) return { outcome: "in-progress", fingerprint: held };
  // After a long pause, the binding may have been released and its operation purged. Creating the operation now would
  // run it a second time. The purge always waits longer than this time limit.
  checkTime();
  const created = await operations.create(withId(operation, operationId), initial).catch(bound);
  if (created === "created") return { outcome: "created", operationId };
  const others = await operations.get(operationId, tenant);
  if (others === undefined)
    throw new AsyncReplyError(
      "CORRUPT_RECORD",
      "The operation exists, but the store does not return it for this tenant. Check its record in the store.",
    );
  return { outcome: "exists", operation: others, fingerprint };
}

/** Marks an error as uncertain: the key is already bound, so another request with it may create the operation. */
function bound(error: unknown): never {
  throw maybeRecorded(error);
}

function deadline(clock: Clock, ms: number): () => void {
  const end = clock.elapsed() + ms;
  return () => {
    if (clock.elapsed() >= end) throw notInTime();
  };
}
