import { notRecorded } from "../../contract/errors.js";
import type { RecordResult, Submission } from "../../ports/submission.js";
import { asUncertain, ignore, notInTime, storeAnswer } from "../store-answer.js";
import { type Accepted, replayOf } from "./accepted.js";
import type { SubmissionContext } from "./context.js";
import { type ComparableSubmission, earlierOperation } from "./earlier-operation.js";

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
    const call = context.backend.submissions.record(submission);
    let early: RecordResult | undefined;
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
  call: Promise<RecordResult>,
): Promise<RecordResult> {
  // If the store has not sent it, it never will.
  const neverSent = (): boolean => context.backend.submissions.giveUp?.(submission) === true;
  return storeAnswer(context, call, {
    tooLate: () => (neverSent() ? notRecorded(notInTime()) : notInTime()),
  });
}
