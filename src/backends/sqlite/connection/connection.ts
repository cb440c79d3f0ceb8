import type { AsyncReplyError } from "../../../contract/errors.js";
import type { Runtime } from "../../../ports/runtime.js";
import { createLanes, type LaneLimits, type LaneName } from "./lanes.js";
import { createLockWait } from "./lock-wait.js";
import { isBusy, resultCodeOf } from "./result-code.js";
import type { Statements } from "./statements.js";
import { lockedTooLong, toStoreError } from "./store-error.js";

/** Ids of the operations that a job changes. Watchers learn of them after the commit. */
export type Changed = Set<string>;

/** Steps of one call within a transaction. Synchronous, and may run again after a rollback. */
type Job<Result> = (changed: Changed) => Result;

/** Options of {@link Connection.write}. */
export interface WriteOptions {
  /** Size of the data of the job. Default: 0. */
  readonly bytes?: number | undefined;
  /**
   * Whether a power failure may undo the job, as long as it undoes everything after it too. The commit then does not
   * wait for the disk. For jobs that only take leases or hand out rows: everything that depends on a lease is
   * committed later. Default: false.
   */
  readonly canBeLost?: boolean;
}

/** Runs all calls to the database. */
export interface Connection {
  /**
   * Runs a job in a transaction, which concurrent calls share. Resolves after the commit. If the job throws, nothing
   * that it did remains, and the other jobs are not affected.
   */
  write<Result>(lane: LaneName, job: Job<Result>, options?: WriteOptions): Promise<Result>;
  /** Runs a job that only reads, without waiting for writers. */
  read<Result>(job: () => Result): Promise<Result>;
  /** Runs steps without opening the database before. Repeats them while the database is locked. Rethrows their errors. */
  whenUnlocked<Result>(steps: () => Result): Promise<Result>;
}

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  readonly statements: Statements;
  readonly limits: LaneLimits;
  /** How long a call waits for the lock of the database. Milliseconds. */
  readonly lockTimeoutMs: number;
  readonly runtime: Pick<Runtime, "clock" | "random" | "pause">;
  /** Prepares the database. Called until it succeeds once. Throws if the database is locked or cannot be used. */
  readonly open: () => void;
  /** Called before each transaction and each read. */
  readonly onUse: () => void;
  /** Called before each transaction with whether its commit has to wait for the disk. */
  readonly onBegin: (waitsForDisk: boolean) => void;
  /** Called after each commit with the changed operations. */
  readonly onCommit: (changed: Changed) => void;
}

interface Pending {
  readonly job: Job<unknown>;
  readonly bytes: number;
  readonly canBeLost: boolean;
  /** Reading of {@link LockWait.waitedMs} when the call began. */
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: AsyncReplyError) => void;
}

/** Creates the connection. All its work is synchronous, so that a transaction is never open while other code runs. */
export function createConnection(options: ConnectionOptions): Connection {
  const { statements, lockTimeoutMs, runtime, onUse, onBegin, onCommit } = options;
  const lanes = createLanes<Pending>(options.limits);
  const lock = createLockWait(runtime);
  /** Jobs of a transaction that failed. Each of them runs again, alone in a transaction. */
  let apart: Pending[] = [];
  let isOpen = false;
  let isDraining = false;

  const use = (): void => {
    onUse();
    if (isOpen) return;
    options.open();
    isOpen = true;
  };
  const isLate = ({ since }: Pick<Pending, "since">): boolean => lock.waitedMs - since >= lockTimeoutMs;

  async function whenUnlocked<Result>(steps: () => Result): Promise<Result> {
    const readLock = createLockWait(runtime);
    for (;;) {
      try {
        return steps();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (readLock.waitedMs >= lockTimeoutMs) throw lockedTooLong(error);
        await readLock.wait();
      }
    }
  }

  async function drain(): Promise<void> {
    isDraining = true;
    while (apart.length > 0 || lanes.size > 0) {
      // A synchronous client never overlaps with other work, so calls can only join a transaction before it begins.
      await runtime.pause();
      const busy = transact();
      if (busy === undefined) lock.taken();
      else {
        await lock.wait();
        rejectLate(busy.error);
      }
    }
    isDraining = false;
  }

  function rejectLate(cause: unknown): void {
    const late = [...apart.filter(isLate), ...lanes.takeLate(isLate)];
    apart = apart.filter((pending) => !isLate(pending));
    for (const { reject } of late) reject(lockedTooLong(cause));
  }

  /** Runs the next jobs in a transaction. Returns the error if another connection holds the lock. */
  function transact(): { readonly error: unknown } | undefined {
    try {
      use();
      const next = apart.length > 0 ? apart.slice(0, 1) : lanes.next();
      onBegin(next.some(({ canBeLost }) => !canBeLost));
      statements.run("begin immediate");
    } catch (error) {
      if (isBusy(error)) return { error };
      for (const { reject } of takeNext()) reject(toStoreError(error, "no"));
      return undefined;
    }
    runJobs(takeNext());
    return undefined;
  }

  function takeNext(): readonly Pending[] {
    const next = apart.shift();
    return next === undefined ? lanes.take() : [next];
  }

  function runJobs(jobs: readonly Pending[]): void {
    const changed: Changed = new Set();
    let isCommitting = false;
    let results: readonly unknown[];
    try {
      results = jobs.map(({ job }) => job(changed));
      isCommitting = true;
      statements.run("commit");
    } catch (error) {
      rollBack(statements);
      if (jobs.length > 1) apart.push(...jobs);
      // After an input or output error, the commit may have reached the disk.
      const recorded = isCommitting && resultCodeOf(error) === "SQLITE_IOERR" ? undefined : "no";
      if (jobs.length === 1) jobs[0]?.reject(toStoreError(error, recorded));
      return;
    }
    for (const [index, { resolve }] of jobs.entries()) resolve(results[index]);
    onCommit(changed);
  }

  return {
    write: (lane, job, { bytes = 0, canBeLost = false } = {}) =>
      new Promise((resolve, reject) => {
        const since = lock.waitedMs;
        lanes.add(lane, { job, bytes, canBeLost, since, resolve: resolve as Pending["resolve"], reject });
        if (!isDraining) void drain();
      }),
    read: async (job) => {
      try {
        return await whenUnlocked(() => {
          use();
          return job();
        });
      } catch (error) {
        throw toStoreError(error);
      }
    },
    whenUnlocked,
  };
}

function rollBack(statements: Statements): void {
  try {
    statements.run("rollback");
  } catch {
    // After some errors, SQLite has already rolled the transaction back.
  }
}
