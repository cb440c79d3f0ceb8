import type { Driver } from "../../engine/driver.js";
import { type Changed, clearChanged } from "../sqlite/connection/connection.js";
import { toStoreError } from "../sqlite/connection/store-error.js";
import type { ObjectStorage } from "./storage.js";

/** Options of {@link createObjectConnection}. */
export interface ObjectConnectionOptions {
  readonly storage: ObjectStorage;
  /** Prepares the database. Called until it succeeds once. */
  readonly open: () => void;
  /** Receives the operations that the jobs of a transaction write. */
  readonly changed: Changed;
  /** Called before each use, which it refuses if it throws. Default: none. */
  readonly onUse?: (() => void) | undefined;
  /** Called after each transaction. */
  readonly onCommit: () => void;
}

/** Runs all calls to the database of an object. Each job is a transaction. */
export interface ObjectConnection extends Driver {
  /** Runs a job once, in a transaction. If the signal is aborted, rejects with its reason. */
  writeAlone<Result>(job: () => Result, signal?: AbortSignal): Promise<Result>;
  /** Prepares the database again at the next use. */
  forget(): void;
}

/**
 * Creates the connection. No answer leaves the object before its writes are on disk, so nothing waits for the disk here. The
 * transactions of one turn are committed together, and each of them fails alone.
 */
export function createObjectConnection({
  storage,
  open,
  changed,
  onUse,
  onCommit,
}: ObjectConnectionOptions): ObjectConnection {
  let isOpen = false;
  const use = (): void => {
    onUse?.();
    if (isOpen) return;
    open();
    isOpen = true;
  };
  const transact = <Result>(job: () => Result): Result => {
    clearChanged(changed);
    let result: Result;
    try {
      use();
      result = storage.transactionSync(job);
    } catch (error) {
      throw toStoreError(error, "no");
    }
    onCommit();
    return result;
  };
  return {
    waitsForDisk: false,
    read: async (job) => {
      try {
        use();
        return job();
      } catch (error) {
        throw toStoreError(error);
      }
    },
    write: async (_kind, job) => transact(job),
    writeAlone: async (job, signal) => {
      signal?.throwIfAborted();
      return transact(job);
    },
    forget: () => {
      isOpen = false;
    },
  };
}
