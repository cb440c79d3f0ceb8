import { AsyncReplyError } from "../../contract/errors.js";
import type { Settlement } from "../../contract/operation.js";
import { adoptPromise } from "../../contract/promises.js";
import { type Backend, sharedTransactions, type TransactionOptions } from "../../ports/backend.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import type { KeptLease } from "../../protocol/keep-lease.js";
import type { RunInTransaction } from "./job.js";

export interface JobTransactionOptions {
  readonly backend: Backend;
  readonly lease: Lease;
  /** Protects the operation outside of the transaction. */
  readonly kept: KeptLease;
  /** Aborted when the worker no longer waits for the work. */
  readonly abandoning: AbortController;
  /** Interrupts the attempt. */
  readonly interrupt: (reason: AsyncReplyError) => void;
  /** Checks a result and returns the settlement that completes the operation with it. */
  readonly toCompletion: (value: unknown) => Settlement | Promise<Settlement>;
  /** Does the same synchronously. Throws `INVALID_RESULT` if the result schema is asynchronous. */
  readonly toCompletionNow: (value: unknown) => Settlement;
  /** Receives every error that the transaction rejects with, except those of the user's function. */
  readonly onRaise: (error: unknown) => void;
  /** Returns whether the processor has returned. */
  readonly isOver: () => boolean;
  /** Receives errors that come too late for the attempt. */
  readonly onLate: (error: unknown) => void;
}

/** The settlement that a transaction committed, and the store's answer. */
interface Committed {
  readonly settlement: Settlement;
  readonly settled: SettleResult;
}

export interface JobTransaction {
  readonly run: RunInTransaction<unknown>;
  /** Returns the committed settlement, or undefined if nothing was committed. */
  committed(): Committed | undefined;
  /**
   * Rolls back a transaction that is still open when the processor has returned. Resolves to the error to fail the
   * attempt with, or to undefined if the commit was already under way.
   */
  end(): Promise<AsyncReplyError | undefined> | undefined;
}

/** The user's function. */
type Work<Result> = (tx: unknown) => Result | Promise<Result>;

/** Creates the transaction of an attempt, which also settles the attempt. */
export function createJobTransaction(options: JobTransactionOptions): JobTransaction {
  const {
    backend,
    lease,
    kept,
    abandoning,
    interrupt,
    toCompletion,
    toCompletionNow,
    onRaise,
    isOver,
    onLate,
  } = options;
  const synchronous = backend.submissions.synchronous;
  let open: Promise<void> | undefined;
  let used = false;
  let committed: Committed | undefined;
  let thrown: { readonly error: unknown } | undefined;

  async function transact<Result>(work: Work<Result>, chosen: TransactionOptions): Promise<Result> {
    let done: { readonly value: Result; readonly settlement: Settlement } | undefined;
    const complete = (value: Result, completion: Settlement): Settlement => {
      // The operation is about to end, and a renewal would mistake that for a lost lease.
      kept.stop();
      const settlement = kept.withProgress(completion);
      done = { value, settlement };
      return settlement;
    };
    const { signal } = abandoning;
    const settled =
      synchronous === undefined
        ? await sharedTransactions(backend).settle(
            lease,
            async (tx) => {
              const value = await noting(() => work(tx));
              return complete(value, await toCompletion(value));
            },
            { ...chosen, signal },
          )
        : await synchronous.settle(
            lease,
            (handle) => {
              const value = synchronousValue(
                notingNow(() => work(handle)),
                onLate,
              );
              return complete(value, toCompletionNow(value));
            },
            { signal },
          );
    if (settled.outcome === "lost" || done === undefined) throw lost();
    committed = { settlement: done.settlement, settled };
    return done.value;
  }

  function notingNow<Value>(call: () => Value): Value {
    try {
      return call();
    } catch (error) {
      thrown = { error };
      throw error;
    }
  }

  async function noting<Value>(call: () => Value | Promise<Value>): Promise<Value> {
    try {
      return await call();
    } catch (error) {
      thrown = { error };
      throw error;
    }
  }

  function lost(): AsyncReplyError {
    const error = new AsyncReplyError("LEASE_LOST", "Another attempt has begun, so nothing was written.");
    interrupt(error);
    return error;
  }

  async function start<Result>(work: Work<Result>, chosen: TransactionOptions): Promise<Result> {
    used = true;
    // The transaction's lock replaces the lease, and a renewal would wait for the lock.
    kept.pause();
    try {
      return await transact(work, chosen);
    } finally {
      open = undefined;
      kept.resume();
    }
  }

  function run<Result>(work: Work<Result>, chosen: TransactionOptions = {}): Promise<Result> {
    const over = isOver();
    const refusal = over ? tooLate() : used ? usedBefore() : undefined;
    const running = refusal === undefined ? start(work, chosen) : Promise.reject(refusal);
    // Handles the rejection even if the processor never awaits the promise.
    const ended = running.then(ignore, (error: unknown) => {
      if (thrown === undefined || error !== thrown.error) onRaise(error);
    });
    if (refusal === undefined) open = ended;
    else if (over) onLate(refusal);
    return running;
  }

  return {
    run,
    committed: () => committed,
    end: () => {
      if (open === undefined) return undefined;
      const error = notAwaited();
      abandoning.abort(error);
      return open.then(() => (committed === undefined ? error : undefined));
    },
  };
}

function ignore(): void {}

function usedBefore(): AsyncReplyError {
  return new AsyncReplyError(
    "TRANSACTION_USED",
    "`job.transaction` was called a second time. Each attempt has one transaction, so make all writes in one function.",
  );
}

function notAwaited(): AsyncReplyError {
  const detail =
    "The processor returned while its `job.transaction` was still open, so the transaction was rolled back. Return or " +
    "await its promise.";
  return new AsyncReplyError("TRANSACTION_NOT_AWAITED", detail);
}

function tooLate(): AsyncReplyError {
  const detail = "`job.transaction` was called after its processor had returned. Await it in the processor.";
  return new AsyncReplyError("TRANSACTION_NOT_AWAITED", detail);
}

/**
 * Returns what the function of a synchronous transaction returned. `onLate` receives the error of a promise, because
 * nothing else handles it.
 *
 * Throws `NO_TRANSACTIONS` if it is a promise.
 */
function synchronousValue<Value>(returned: Value | Promise<Value>, onLate: (error: unknown) => void): Value {
  const value = adoptPromise(returned);
  if (!(value instanceof Promise)) return value;
  value.catch(onLate);
  throw new AsyncReplyError(
    "NO_TRANSACTIONS",
    "The function of `job.transaction` returned a promise, but the transactions of this back end are synchronous. The " +
      "transaction was rolled back. Pass a function without `async`, and await other work before or after the transaction.",
  );
}
