import { sleep } from "../../../platform/waits.js";
import type { Runtime } from "../../../ports/runtime.js";
import type { RecordResult, Submission } from "../../../ports/submission.js";
import { submissionInProgress } from "./recording.js";

/** Records a submission, or resolves to undefined if another transaction holds its key. */
type TryRecord = (submission: Submission) => Promise<RecordResult | undefined>;

/** Options of {@link createKeyWait}. */
export interface KeyWaitOptions {
  /** Tries once, in a separate statement, so that it does not delay other submissions. */
  readonly tryRecord: TryRecord;
  /** Records a submission after its key was released or bound to an operation. */
  readonly record: (submission: Submission) => Promise<RecordResult>;
  /** Maximum number of submissions that wait. */
  readonly maxWaiting: number;
  readonly runtime: Pick<Runtime, "clock" | "random">;
}

/** Long enough for slow commits. */
const WAIT_MS = 1_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

/**
 * Creates a function that waits up to a second for a key that another transaction holds, and then records the
 * submission. Submissions with the same key share one wait, so only one call at a time asks the database about a key.
 *
 * The function throws AsyncReplyError `SUBMISSION_IN_PROGRESS` if the key is still held after that, or if `maxWaiting`
 * submissions are waiting already.
 */
export function createKeyWait(options: KeyWaitOptions): (submission: Submission) => Promise<RecordResult> {
  const { tryRecord, record, maxWaiting, runtime } = options;
  const waits = new Map<string, Promise<RecordResult>>();
  let waiting = 0;

  async function wait(submission: Submission): Promise<RecordResult> {
    const { id, tenant, definition, key } = submission.operation;
    const name = key === undefined ? id : JSON.stringify([tenant, definition, key]);
    const first = waits.get(name);
    if (first !== undefined) {
      await first;
      return record(submission);
    }
    const own = untilRecorded(() => tryRecord(submission), runtime).finally(() => waits.delete(name));
    waits.set(name, own);
    return own;
  }

  return (submission) => {
    if (waiting >= maxWaiting) throw submissionInProgress();
    waiting += 1;
    return wait(submission).finally(() => {
      waiting -= 1;
    });
  };
}

async function untilRecorded(
  tryRecord: () => Promise<RecordResult | undefined>,
  { clock, random }: KeyWaitOptions["runtime"],
): Promise<RecordResult> {
  let isOver = false;
  const cancelTimer = clock.schedule(WAIT_MS, () => {
    isOver = true;
  });
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      // Random pauses keep processes that wait for the same key from trying at the same time again and again.
      await sleep(pauseMs * (0.5 + random() / 2), clock);
      const result = await tryRecord();
      if (result !== undefined) return result;
      if (isOver) throw submissionInProgress();
    }
  } finally {
    cancelTimer();
  }
}
