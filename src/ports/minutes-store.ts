import type { Histogram } from "./histogram.js";

/** Numbers of what happened to operations of one definition in a while. */
export interface WorkCounts {
  /** Operations that were accepted: submissions that created one, redrives, and follow-ups. */
  readonly accepted: number;
  /** Attempts whose processor was called. */
  readonly started: number;
  /** Operations that completed. */
  readonly completed: number;
  /** Operations that failed, except for cancelled ones. */
  readonly failed: number;
  /** Operations that were cancelled. */
  readonly cancelled: number;
  /** Attempts that failed and are tried again. */
  readonly retried: number;
  /** Attempts that lost their lease. */
  readonly lost: number;
  /** Submissions that were refused because too many operations were unfinished. */
  readonly refused: number;
}

/** Names of all {@link WorkCounts}. */
export const WORK_COUNTS: readonly (keyof WorkCounts)[] = [
  "accepted",
  "started",
  "completed",
  "failed",
  "cancelled",
  "retried",
  "lost",
  "refused",
];

/** How long operations of one definition took. */
export interface WorkTimes {
  /** From the creation of an operation to the start of its first attempt. It includes a delay that the submission asked for. */
  readonly waiting: Histogram;
  /** From the start to the end of a processor's run, unless it was released. */
  readonly running: Histogram;
  /** From the creation of an operation to its end, unless it was cancelled. */
  readonly total: Histogram;
}

/** Names of all {@link WorkTimes}. */
export const WORK_TIMES: readonly (keyof WorkTimes)[] = ["waiting", "running", "total"];

/** Everything that was counted of one definition in a while. */
export interface Work extends WorkCounts, WorkTimes {
  /** Name of the definition. */
  readonly definition: string;
  /** Whether a worker served the definition. */
  readonly served: boolean;
}

/** Everything that one process has counted of one definition in one minute so far. */
export interface MinuteRow extends Work {
  /** Random id of the process. */
  readonly process: string;
  /** Start of the minute by the clock of the process. Epoch milliseconds. */
  readonly minute: number;
}

/** Request to read the work of some definitions. All times are epoch milliseconds. */
export interface MinutesRequest {
  /** Names of the definitions. Default: all of which anything is kept. */
  readonly definitions?: readonly string[];
  /** Start of the first minute. */
  readonly from: number;
  /** End of the last minute, which does not belong to the range. */
  readonly to: number;
  /** Length of a step. The first one begins at `from`. A multiple of a minute. Milliseconds. */
  readonly stepMs: number;
}

/** The work of one definition in one step. */
export interface StepWork extends Work {
  /** Start of the step. Epoch milliseconds. */
  readonly start: number;
}

/**
 * Keeps what processes count by minute, in the same store as the operations. Counts of minutes are kept for 7 days, and
 * then those of hours, which stand at the start of the hour, until they are 90 days old. Every method is atomic, and throws like those of
 * the operation store.
 */
export interface MinutesStore {
  /**
   * Replaces the rows of these processes, minutes and definitions. A repeated call changes nothing. A process writes a row until a minute
   * after it last knew the row to be written, because `fold` takes it after two.
   */
  write(rows: readonly MinuteRow[]): Promise<void>;

  /**
   * Adds the rows that were not written for 2 minutes, by the clock of the store, to the sums of their minutes, and deletes them, in one
   * step. Then adds up and deletes what is too old. Concurrent calls count each row once. Returns how many rows it deleted, at
   * most `limit`.
   */
  fold(request: { readonly limit: number }): Promise<number>;

  /** Returns the work of all processes, folded or not, in any order. Steps in which nothing happened are absent. */
  read(request: MinutesRequest): Promise<readonly StepWork[]>;
}

/** Length of a minute and of an hour. Milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** Time without a write after which a row is folded. Milliseconds. */
export const FOLD_AFTER_MS = 120_000;
/** How long minutes are kept, and then hours. Milliseconds. */
export const MINUTES_KEPT_MS = 604_800_000;
export const HOURS_KEPT_MS = 7_776_000_000;
