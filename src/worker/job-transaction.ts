import { AsyncReplyError } from "../core/errors.js";
import type { JsonText, Settlement } from "../core/operation.js";
import type { Backend } from "../ports/backend.js";
import { sharedTransactions } from "../ports/backend.js";
import type { Lease, SettleResult } from "../ports/operation-store.js";
import type { RunInTransaction } from "./job.js";

export interface JobTransactionOptions {
  readonly backend: Backend;
  readonly lease: Lease;
  /** Aborted when the attempt is not waited for any longer. */
  readonly abandoning: { readonly signal: AbortSignal };
  /** Checks a result and gives its stored form. */
  readonly toStored: (value: unknown) => Promise<JsonText | undefined>;
  /** Called before the operation is settled. */
  readonly onSettling: () => void;
}

/** How an attempt was settled by its transaction. */
interface Committed {
  readonly settlement: Settlement;
  readonly settled: SettleResult;
}

export interface JobTransaction {
  readonly run: RunInTransaction<unknown>;
  /** What has been committed, once it has. */
  committed(): Committed | undefined;
}

/** The one transaction of an attempt, which settles it. */
export function createJobTransaction(options: JobTransactionOptions): JobTransaction {
  const { backend, lease, abandoning, toStored, onSettling } = options;
  let used = false;
  let committed: Committed | undefined;

  async function run<Result>(work: (tx: unknown) => Result | Promise<Result>): Promise<Result> {
    if (used) throw new AsyncReplyError("TRANSACTION_USED", "An attempt has one transaction.");
    used = true;
    let done: { readonly value: Result; readonly settlement: Settlement } | undefined;
    const settled = await sharedTransactions(backend).settle(
      lease,
      async (tx) => {
        const value = await work(tx);
        const settlement = completed(await toStored(value));
        done = { value, settlement };
        onSettling();
        return settlement;
      },
      abandoning.signal,
    );
    if (settled.outcome === "lost" || done === undefined)
      throw new AsyncReplyError("LEASE_LOST", "The operation went to somebody else: nothing was written.");
    committed = { settlement: done.settlement, settled };
    return done.value;
  }

  return { run, committed: () => committed };
}

/** Completes an operation with a result, if there is one. */
export function completed(result: JsonText | undefined): Settlement {
  return result === undefined ? { to: "completed" } : { to: "completed", result };
}
