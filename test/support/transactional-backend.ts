import { AsyncReplyError, type Clock, createMemoryBackend } from "async-request-reply";
import type {
  AppendResult,
  JsonText,
  NewOperation,
  Operation,
  OutputAppend,
  RecordManyResult,
  RecordResult,
  Settlement,
  SettleResult,
  Submission,
  Submissions,
  Transactions,
} from "async-request-reply/ports";
import type { TransactionalBackend } from "async-request-reply/testing";
import { allOperations } from "./all-operations.js";
import { replacing } from "./replacing.js";

/** A transaction whose effects are held back until it commits. */
export interface MemoryTransaction {
  readonly effects: string[];
  readonly submissions: { readonly submission: Submission; readonly resource: JsonText | undefined }[];
  /** Keys that other submissions cannot use until the transaction ends. */
  readonly keys: string[];
  isOpen: boolean;
}

/** The steps of a transaction. Tests replace one of them to plant a mistake. */
export interface TransactionSteps {
  /** Settles the attempt. `lost` rolls everything back. */
  settle(
    lease: Parameters<Transactions<unknown>["settle"]>[0],
    settlement: Settlement,
  ): Promise<SettleResult>;
  /** Records in a transaction of the user. */
  record(tx: MemoryTransaction, submission: Submission, resource?: JsonText): Promise<void>;
  /** Writes the effects of the transaction. */
  commit(tx: MemoryTransaction, written: string[]): Promise<void>;
  /** Drops the effects of the transaction. Reason `lost`: the attempt could not be settled. */
  rollBack(tx: MemoryTransaction, written: string[], reason: "thrown" | "lost"): Promise<void>;
}

/** Creates the memory back end with transactions that it shares with users, as on Postgres. */
export function transactionalBackend(
  clock: Clock,
  mistakes: (
    steps: TransactionSteps,
    backend: ReturnType<typeof createMemoryBackend>,
  ) => Partial<TransactionSteps> = () => ({}),
): TransactionalBackend<MemoryTransaction> {
  const memory = createMemoryBackend({ clock });
  const { operations } = memory;
  const own = memory.submissions as Submissions<never>;
  const written: string[] = [];
  const heldKeys = new Set<string>();

  const correct: TransactionSteps = {
    settle: async (lease, settlement) => {
      const known = await find(({ id }) => id === lease.operationId);
      if (known?.settledAt !== undefined) return { outcome: "lost" };
      return operations.settle(lease, settlement);
    },
    record: async (tx, submission, resource) => void tx.submissions.push({ submission, resource }),
    commit: async (tx, effects) => {
      for (const { submission, resource } of tx.submissions) await recordWith(submission, resource);
      effects.push(...tx.effects);
    },
    rollBack: async () => {},
  };
  const steps: TransactionSteps = { ...correct, ...mistakes(correct, memory) };

  async function find(is: (operation: Operation) => boolean): Promise<Operation | undefined> {
    return (await allOperations(operations)).find(is);
  }

  /** If operation and key are recorded and purged in one step, both live equally long. */
  const findByKey = async ({ tenant, definition, key }: NewOperation): Promise<Operation | undefined> =>
    key === undefined
      ? undefined
      : find((each) => each.tenant === tenant && each.definition === definition && each.key === key);

  /** Runs a transaction. `work` returns its last step, which an abort no longer interrupts, like a commit. */
  async function run<Result>(
    work: (tx: MemoryTransaction) => Promise<() => Promise<Result>>,
    {
      signal,
      isLost = () => false,
    }: { signal?: AbortSignal | undefined; isLost?: (result: Result) => boolean } = {},
  ): Promise<Result> {
    const tx: MemoryTransaction = { effects: [], submissions: [], keys: [], isOpen: true };
    try {
      const lastStep = await orAborted(work(tx), signal);
      const result = await lastStep();
      await (isLost(result) ? steps.rollBack(tx, written, "lost") : steps.commit(tx, written));
      return result;
    } catch (error) {
      await steps.rollBack(tx, written, "thrown");
      throw error;
    } finally {
      tx.isOpen = false;
      for (const key of tx.keys) heldKeys.delete(key);
    }
  }

  function hold(tx: MemoryTransaction, operation: NewOperation): void {
    const key = nameOf(operation);
    if (heldKeys.has(key)) throw new AsyncReplyError("CREATION_IN_PROGRESS", "The key is held.");
    heldKeys.add(key);
    tx.keys.push(key);
  }

  async function recordWith(submission: Submission, resource?: JsonText): Promise<RecordResult> {
    if (resource === undefined) return own.record(submission);
    const lease = { operationId: submission.operation.id, token: "creation" };
    await own.record({ ...submission, initial: { state: "preparing", leaseMs: 1, token: lease.token } });
    await operations.settle(lease, { to: "prepared", resource });
    return { outcome: "created" };
  }

  async function appendOne(append: OutputAppend): Promise<AppendResult> {
    const [result = "lost"] = await memory.output.append([append]);
    return result;
  }

  const transactions: Transactions<MemoryTransaction> = {
    record: (submission, create, signal) =>
      run(
        async (tx) => {
          hold(tx, submission.operation);
          if ((await findByKey(submission.operation)) !== undefined) return () => own.record(submission);
          const resource = await create(tx);
          return () => recordWith(submission, resource);
        },
        { signal },
      ),
    settle: (lease, work, { signal, output } = {}) =>
      run(
        async (tx) => {
          const settlement = await work(tx);
          return async () => {
            const written = output?.();
            if (written !== undefined && (await appendOne(written)) === "lost") return { outcome: "lost" };
            return steps.settle(lease, settlement);
          };
        },
        { signal, isLost: ({ outcome }) => outcome === "lost" },
      ),
    append: (lease, work, { signal } = {}) =>
      run(
        async (tx) => {
          if ((await memory.output.begun(lease)) === "lost") return async (): Promise<AppendResult> => "lost";
          const written = await work(tx);
          return () => appendOne(written);
        },
        { signal, isLost: (result) => result === "lost" },
      ),
    recordIn: async (tx, submission, create) => {
      hold(tx, submission.operation);
      if ((await findByKey(submission.operation)) !== undefined) return own.record(submission);
      await steps.record(tx, submission, await create?.(tx));
      return { outcome: "created" };
    },
  };

  const record: Submissions<never>["record"] = async (submission) => {
    if (!heldKeys.has(nameOf(submission.operation))) return own.record(submission);
    throw new AsyncReplyError("STORE_UNAVAILABLE", "The key is locked.");
  };
  const recordMany: Submissions<never>["recordMany"] = async (list) => {
    const isHeld = ({ operation }: Submission): boolean => heldKeys.has(nameOf(operation));
    const free = await own.recordMany(list.filter((each) => !isHeld(each)));
    const left = [...free];
    const error = new AsyncReplyError("SUBMISSION_IN_PROGRESS", "The key is locked.");
    return list.map((each) =>
      isHeld(each) ? { outcome: "refused", error } : (left.shift() as RecordManyResult),
    );
  };
  const submissions = replacing<Submissions<MemoryTransaction>>(own, { record, recordMany, transactions });
  return {
    backend: { ...memory, submissions },
    transactions: {
      run: (work) =>
        run(async (tx) => {
          const result = await work(tx);
          return async () => result;
        }),
      write: async (tx, effect) => {
        if (!tx.isOpen) throw new AsyncReplyError("STORE_UNAVAILABLE", "The transaction has ended.");
        tx.effects.push(effect);
      },
      written: async () => written,
    },
  };
}

function nameOf({ id, tenant, definition, key }: NewOperation): string {
  return JSON.stringify(key === undefined ? [id] : [tenant, definition, key]);
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort);
    work.then(resolve, reject);
  });
}
