import { AsyncReplyError } from "../../contract/errors.js";
import type { Settlement } from "../../contract/operation.js";
import { type Backend, sharedTransactions, type TransactionOptions } from "../../ports/backend.js";
import type { Lease, SettleResult } from "../../ports/operation-store.js";
import type { OutputAppend } from "../../ports/output-store.js";
import type { KeptLease } from "../../protocol/keep-lease.js";
import type { RunInTransaction } from "./job.js";
import type { AttemptOutput, TransactionWriting } from "./output/attempt-output.js";
import { UserFunction } from "./user-function.js";

export interface JobTransactionOptions {
  readonly backend: Backend;
  readonly lease: Lease;
  /** Protects the operation outside of the transaction. */
  readonly kept: KeptLease;
  /** Output of the attempt, if its definition has any. The transaction stores what of it is not stored. */
  readonly output: AttemptOutput | undefined;
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
    output,
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

  async function transact<Result>(
    work: UserFunction<Result>,
    chosen: TransactionOptions,
    writing?: TransactionWriting,
  ): Promise<Result> {
    let done: { readonly value: Result; readonly settlement: Settlement } | undefined;
    const complete = (value: Result, completion: Settlement): Settlement => {
      // The operation is about to end, and a renewal would mistake that for a lost lease.
      kept.stop();
      const settlement = kept.withProgress(completion);
      done = { value, settlement };
      return settlement;
    };
    const { signal } = abandoning;
    const written = writing === undefined ? {} : { output: () => ifAny(writing.end()) };
    const settled =
      synchronous === undefined
        ? await sharedTransactions(backend).settle(
            lease,
            async (tx) => {
              writing?.begin();
              const value = await work.call(tx);
              return complete(value, await toCompletion(value));
            },
            { ...chosen, signal, ...written },
          )
        : await synchronous.settle(
            lease,
            (handle) => {
              writing?.begin();
              const value = work.callNow(handle, onLate);
              return complete(value, toCompletionNow(value));
            },
            { signal, ...written },
          );
    if (settled.outcome === "lost" || done === undefined) throw lost();
    committed = { settlement: done.settlement, settled };
    return done.value;
  }

  function lost(): AsyncReplyError {
    const error = new AsyncReplyError("LEASE_LOST", "Another attempt has begun, so nothing was written.");
    interrupt(error);
    return error;
  }

  async function start<Result>(work: UserFunction<Result>, chosen: TransactionOptions): Promise<Result> {
    used = true;
    try {
      if (output === undefined) return await locked(() => transact(work, chosen));
      return await output.inTurn(async () => {
        const result = await output.transact((writing) => locked(() => transact(work, chosen, writing)));
        output.close(undefined);
        return result;
      });
    } finally {
      open = undefined;
    }
  }

  async function locked<Result>(call: () => Promise<Result>): Promise<Result> {
    // The transaction's lock replaces the lease, and a renewal would wait for the lock.
    kept.pause();
    try {
      return await call();
    } finally {
      kept.resume();
    }
  }

  function run<Result>(work: Work<Result>, chosen: TransactionOptions = {}): Promise<Result> {
    const over = isOver();
    const refusal = over ? tooLate() : used ? usedBefore() : undefined;
    const called = new UserFunction(work, "job.transaction");
    const running = refusal === undefined ? start(called, chosen) : Promise.reject(refusal);
    // Handles the rejection even if the processor never awaits the promise.
    const ended = running.then(ignore, (error: unknown) => {
      if (!called.threw(error)) onRaise(error);
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

function ifAny(append: OutputAppend): OutputAppend | undefined {
  return append.chunks.length === 0 ? undefined : append;
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
