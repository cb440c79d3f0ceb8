import type { Driver, WriteOptions } from "../../../engine/driver.js";
import { onAbort, sleep } from "../../../platform/waits.js";
import type { Runtime } from "../../../ports/runtime.js";
import type { ConnectionStatements, Statements } from "./statements.js";
import { isBusy, lockedTooLong, resultCodeOf, toStoreError } from "./store-error.js";
import { createCallsByKind, createWaitingCalls, type WaitingSettings } from "./waiting-calls.js";

/** Ids of the operations that the current transaction writes. Watchers learn of them after the commit. */
export interface Changed {
  /** New operations, which no other process knows. */
  readonly created: Set<string>;
  /** Operations that existed before. */
  readonly changed: Set<string>;
  /** Running operations whose cancellation was requested. */
  readonly cancelled: Set<string>;
  /** Operations whose output has grown. */
  readonly appended: Set<string>;
}

/** Creates empty sets. */
export function createChanged(): Changed {
  return { created: new Set(), changed: new Set(), cancelled: new Set(), appended: new Set() };
}

/** Empties the sets. */
export function clearChanged(changed: Changed): void {
  for (const ids of Object.values(changed)) ids.clear();
}

/** Steps of one call within a transaction. Synchronous. Those of {@link Connection.write} may run again after a rollback. */
type Job<Result> = () => Result;

/**
 * Runs all calls to the database. Concurrent calls of `write` share a transaction. If the job of one throws, the others are not
 * affected.
 */
export interface Connection extends Driver {
  /**
   * Runs a job once, in a transaction for itself. Resolves after the commit. If the job throws, nothing that it did
   * remains. If the signal is aborted before the job runs, rejects with the reason.
   */
  writeAlone<Result>(job: Job<Result>, signal?: AbortSignal): Promise<Result>;
  /** Runs steps without opening the database before. Repeats them while the database is locked. Rethrows their errors. */
  whenUnlocked<Result>(steps: () => Result): Promise<Result>;
}

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  readonly statements: ConnectionStatements;
  readonly limits: WaitingSettings;
  /** How long a call waits for the lock of the database. Milliseconds. */
  readonly lockTimeoutMs: number;
  readonly runtime: Pick<Runtime, "clock" | "random" | "pause">;
  /** Prepares the database. Called until it succeeds once. Throws if the database is locked or cannot be used. */
  readonly open: () => void;
  /** Called before each transaction and each read. */
  readonly onUse: () => void;
  /** Called before each transaction with whether its commit has to wait for the disk. */
  readonly onBegin: (waitsForDisk: boolean) => void;
  /** Called after each transaction, also after one that could not begin. */
  readonly onEnd: () => void;
  /** Receives the operations that the jobs of a transaction write. */
  readonly changed: Changed;
  /** Called at the end of each transaction. */
  readonly onCommitting: () => void;
  /** Called after each commit. */
  readonly onCommit: () => void;
}

interface Pending {
  readonly job: Job<unknown>;
  readonly bytes: number;
  readonly canBeLost: boolean;
  /** Reading of {@link LockWait.waitedMs} when the call began. */
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the connection. All its work is synchronous, so that a transaction is never open while other code runs. */
export function createConnection(options: ConnectionOptions): Connection {
  const { statements, lockTimeoutMs, runtime, changed, onUse, onBegin, onEnd, onCommitting, onCommit } =
    options;
  const byKind = createCallsByKind<Pending>(options.limits);
  const waiting = createWaitingCalls(byKind);
  const lock = createLockWait(runtime);
  let isOpen = false;
  let isDraining = false;

  const use = (): void => {
    onUse();
    if (isOpen) return;
    options.open();
    isOpen = true;
  };
  const isLate = ({ since }: Pending): boolean => lock.waitedMs() - since >= lockTimeoutMs;

  async function whenUnlocked<Result>(steps: () => Result): Promise<Result> {
    const readLock = createLockWait(runtime);
    for (;;) {
      try {
        return steps();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (readLock.waitedMs() >= lockTimeoutMs) throw lockedTooLong(error);
        await readLock.wait();
      }
    }
  }

  async function drain(): Promise<void> {
    isDraining = true;
    while (waiting.size > 0) {
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
    for (const { reject } of waiting.remove(isLate)) reject(lockedTooLong(cause));
  }

  /** Runs the next jobs in a transaction. Returns the error if another connection holds the lock. */
  function transact(): { readonly error: unknown } | undefined {
    // The last waiting call may have been aborted.
    if (waiting.size === 0) return undefined;
    try {
      use();
      onBegin(waiting.next().some(({ canBeLost }) => !canBeLost));
      statements.begin();
    } catch (error) {
      onEnd();
      if (isBusy(error)) return { error };
      for (const { reject } of waiting.take()) reject(toStoreError(error, "no"));
      return undefined;
    }
    runJobs(waiting.take());
    onEnd();
    return undefined;
  }

  function runJobs(jobs: readonly Pending[]): void {
    clearChanged(changed);
    let isCommitting = false;
    let results: readonly unknown[];
    try {
      results = jobs.map(({ job }) => job());
      onCommitting();
      isCommitting = true;
      statements.run("commit");
    } catch (error) {
      rollBack(statements);
      if (jobs.length > 1) waiting.addApart(jobs);
      // After an input or output error, the commit may have reached the disk.
      const recorded = isCommitting && resultCodeOf(error) === "SQLITE_IOERR" ? undefined : "no";
      if (jobs.length === 1) jobs[0]?.reject(toStoreError(error, recorded));
      return;
    }
    for (const [index, { resolve }] of jobs.entries()) resolve(results[index]);
    onCommit();
  }

  function added<Result>(
    job: Job<Result>,
    { bytes = 0, canBeLost = false }: WriteOptions,
    add: (pending: Pending) => void,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const since = lock.waitedMs();
      add({ job, bytes, canBeLost, since, resolve: resolve as Pending["resolve"], reject });
      if (!isDraining) void drain();
    });
  }

  async function writeAlone<Result>(job: Job<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    let forget = (): void => {};
    const wait = (pending: Pending): void => {
      forget = onAbort(signal, () => {
        waiting.remove((each) => each === pending);
        pending.reject(signal?.reason);
      });
      waiting.addAlone(pending);
    };
    try {
      return await added(job, {}, wait);
    } finally {
      forget();
    }
  }

  return {
    waitsForDisk: true,
    write: (kind, job, how = {}) => added(job, how, (pending) => byKind.add(kind, pending)),
    writeAlone,
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

/** Waits for the lock of a database that another connection holds. */
interface LockWait {
  /** Returns how long this process has waited for the lock so far, in all waits. Milliseconds. */
  waitedMs(): number;
  /** Waits before the next try. Waits grow until {@link taken} is called. */
  wait(): Promise<void>;
  /** Called when the lock was taken. */
  taken(): void;
}

const FIRST_MS = 1;
const LONGEST_MS = 25;

/**
 * Creates the wait. The `busy_timeout` of SQLite would sleep, and block the event loop. Waits are random, so that a
 * process that writes all the time does not always win.
 */
function createLockWait({ clock, random }: Pick<Runtime, "clock" | "random">): LockWait {
  let waitedMs = 0;
  let nextMs = FIRST_MS;
  return {
    waitedMs: () => waitedMs,
    wait: async () => {
      const ms = nextMs * (0.5 + random() / 2);
      nextMs = Math.min(nextMs * 2, LONGEST_MS);
      await sleep(ms, clock);
      waitedMs += ms;
    },
    taken: () => {
      nextMs = FIRST_MS;
    },
  };
}
