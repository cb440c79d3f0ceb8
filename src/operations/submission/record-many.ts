import { type AsyncReplyError, isAsyncReplyError, notRecorded } from "../../contract/errors.js";
import { type Backend, sharedTransactions } from "../../ports/backend.js";
import type { RecordManyResult, RecordResult, Submission } from "../../ports/submission.js";
import { asUncertain, notInTime, storeAnswer } from "../store-answer.js";
import { type Accepted, replayOf } from "./accepted.js";
import type { SubmissionContext } from "./context.js";
import { type CheckedSubmission, earlierOperation } from "./earlier-operation.js";
import { changedNothing, type HeldPlace } from "./in-place.js";

/** Outcome of one of several submissions. */
export type ManyOutcome = Accepted | { readonly refusal: AsyncReplyError };

/** Records submissions with different keys in one commit. */
export type RecordAll = (submissions: readonly Submission[]) => Promise<readonly RecordManyResult[]>;

/**
 * Records submissions of one tenant and one definition in one commit, and returns their outcomes. If several of them have
 * the same key, the first one counts, and the others are compared with it.
 *
 * Throws errors of the stores, which concern all of them.
 */
export async function recordMany(
  context: SubmissionContext,
  list: readonly CheckedSubmission[],
  record: RecordAll,
): Promise<ReadonlyMap<CheckedSubmission, ManyOutcome>> {
  const firsts = new Map<string, CheckedSubmission>();
  for (const each of list) if (!firsts.has(nameOf(each))) firsts.set(nameOf(each), each);
  const results = await recordAdmitted(context, [...firsts.values()], record);
  const outcomeOf = (each: CheckedSubmission): ManyOutcome => {
    const first = firsts.get(nameOf(each)) as CheckedSubmission;
    const result = results.get(first) as RecordManyResult;
    return result.outcome === "refused" ? { refusal: result.error } : judge(context, each, first, result);
  };
  return new Map(list.map((each) => [each, outcomeOf(each)]));
}

/** Submissions with the same name have the same key. */
function nameOf({ submission: { operation } }: CheckedSubmission): string {
  return operation.key === undefined ? operation.id : `key ${operation.key}`;
}

/** Records the submissions for which the backlog has room. */
async function recordAdmitted(
  context: SubmissionContext,
  list: readonly CheckedSubmission[],
  record: RecordAll,
): Promise<ReadonlyMap<CheckedSubmission, RecordManyResult>> {
  const { places, refused } = await admitAll(context, list);
  const admitted = list.filter((each) => places.has(each));
  try {
    const recorded = admitted.length === 0 ? [] : await record(admitted.map(({ submission }) => submission));
    const results = admitted.map((each, index) => [each, recorded[index] as RecordManyResult] as const);
    for (const [each, { outcome }] of results) if (outcome !== "created") places.get(each)?.giveBack();
    return new Map([...results, ...refused]);
  } catch (error) {
    if (changedNothing(error)) for (const place of places.values()) place?.giveBack();
    else context.minutes?.recorded(admitted.map(idOf));
    throw error;
  }
}

function idOf({ submission }: CheckedSubmission): string {
  return submission.operation.id;
}

/** Takes a place of the backlog for each submission that finds one. If the store fails, none is kept. */
async function admitAll({ backlog }: SubmissionContext, list: readonly CheckedSubmission[]) {
  const places = new Map<CheckedSubmission, HeldPlace>();
  const refused = new Map<CheckedSubmission, RecordManyResult>();
  const admit = async (each: CheckedSubmission): Promise<void> => {
    try {
      places.set(each, await backlog?.admit(each.submission.operation, list.length));
    } catch (error) {
      if (!isFull(error)) throw error;
      refused.set(each, { outcome: "refused", error });
    }
  };
  const failed = (await Promise.allSettled(list.map(admit))).find(({ status }) => status === "rejected");
  if (failed === undefined) return { places, refused };
  for (const place of places.values()) place?.giveBack();
  throw (failed as PromiseRejectedResult).reason;
}

function isFull(error: unknown): error is AsyncReplyError {
  return isAsyncReplyError(error) && ["BACKLOG_FULL", "TOO_MANY_PENDING"].includes(error.code);
}

/** Compares a submission with the operation of its key. `first` is the one of the list that was recorded. */
function judge(
  context: SubmissionContext,
  own: CheckedSubmission,
  first: CheckedSubmission,
  result: RecordResult,
): ManyOutcome {
  const { operation, fingerprint } = first.submission;
  if (own === first && result.outcome === "created")
    return { operationId: operation.id, replayed: false, ring: true };
  const created = {
    ...operation,
    state: "pending",
    attempt: 0,
    createdAt: context.runtime.clock.now(),
  } as const;
  const earlier =
    result.outcome === "created" ? ({ outcome: "exists", operation: created, fingerprint } as const) : result;
  try {
    return replayOf(earlierOperation(context, own, earlier));
  } catch (error) {
    if (isAsyncReplyError(error)) return { refusal: error };
    throw error;
  }
}

/**
 * Returns the function that records in its own commit. It throws `SUBMISSION_UNCERTAIN` if the commit may have
 * succeeded, and errors of the stores.
 */
export function inOwnCommit(context: SubmissionContext): RecordAll {
  const { submissions } = context.backend;
  return async (list) => {
    const isUnsent = (): boolean => submissions.giveUp?.(list[0] as Submission) === true;
    const tooLate = (): AsyncReplyError => (isUnsent() ? notRecorded(notInTime()) : notInTime());
    try {
      return await storeAnswer(context, submissions.recordMany(list), { tooLate });
    } catch (error) {
      throw asUncertain(error);
    }
  };
}

/** Errors of `recordIn` that concern one submission. */
const REFUSED_ALONE = ["SUBMISSION_IN_PROGRESS", "CREATION_IN_PROGRESS", "INTERNAL"];

/** Returns the function that records in the caller's transaction. Throws `NO_TRANSACTIONS`. */
export function inTransaction(backend: Backend, tx: unknown): RecordAll {
  const transactions = sharedTransactions(backend);
  const recordIn = async (submission: Submission): Promise<RecordManyResult> => {
    try {
      return await transactions.recordIn(tx, submission);
    } catch (error) {
      if (isAsyncReplyError(error) && REFUSED_ALONE.includes(error.code))
        return { outcome: "refused", error };
      throw error;
    }
  };
  return async (list) => {
    if (transactions.recordManyIn !== undefined)
      return transactions.recordManyIn(tx, list).catch((error: unknown) => {
        // The transaction holds none of them.
        throw isAsyncReplyError(error) ? notRecorded(error) : error;
      });
    const results: RecordManyResult[] = [];
    for (const each of list) results.push(await recordIn(each));
    return results;
  };
}
