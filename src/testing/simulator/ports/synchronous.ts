import type { NewOperation, Settlement } from "../../../contract/operation.js";
import { present } from "../../../contract/options.js";
import type { OutputAppend } from "../../../ports/output-store.js";
import type { RecordResult } from "../../../ports/submission.js";
import type { SynchronousTransactions as Port } from "../../../ports/synchronous.js";
import type { Extras } from "../actors/extras.js";
import type { TransactionEnd } from "../ledger/effects.js";
import type { Ledger } from "../ledger/ledger.js";
import { AT_ONCE } from "../world/fates.js";
import { brief, short } from "../world/names.js";
import type { Process } from "../world/process.js";
import type { World } from "../world/world.js";

/** Your synchronous transactions on the database of a back end, with effects that {@link simulate} can count. */
export interface SynchronousUserTransactions<Handle> {
  /** Runs a function in a new transaction. Commits if it returns, and rolls back if it throws. */
  run<Result>(work: (handle: Handle) => Result): Result;
  /** Writes an effect, such as a row, in an open transaction of `run` or of the back end. */
  write(handle: Handle, effect: string): void;
  /** Returns all committed effects. An effect that was written twice appears twice. */
  written(): readonly string[];
}

/** Runs each transaction as one call, because nothing else can happen while it is open. */
export class SynchronousTransactions {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #users: SynchronousUserTransactions<unknown>;
  /** Effects and operations of the transaction that is open. */
  #effects: string[] = [];
  #recorded: NewOperation[] = [];

  constructor(world: World, ledger: Ledger, users: SynchronousUserTransactions<unknown>) {
    this.#world = world;
    this.#ledger = ledger;
    this.#users = users;
  }

  /** Writes an effect of the user in the open transaction. */
  write(handle: unknown, effect: string): void {
    this.#ledger.effects.writing(effect);
    this.#effects.push(effect);
    this.#users.write(handle, effect);
  }

  /** Runs a transaction of the user. */
  run<Result>(process: Process, name: string, work: (handle: unknown) => Result): Promise<Result> {
    return this.call(process, `own(${name})`, async () => this.#users.run(work));
  }

  /** Runs a transaction as one call. It has committed if `isCommitted` returns true. Default: if it has not thrown. */
  call<Result>(
    process: Process,
    label: string,
    transact: () => Promise<Result>,
    isCommitted: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    const run = async (): Promise<Result> => {
      try {
        const result = await transact();
        this.#ended(isCommitted(result) ? "committed" : "rolled back");
        return result;
      } catch (error) {
        this.#ended("rolled back");
        throw error;
      } finally {
        this.judge();
      }
    };
    return this.#world.call(process, label, run, { fates: AT_ONCE });
  }

  /** Records the result of `record` in the open transaction. */
  recorded(operation: NewOperation, result: RecordResult): void {
    if (result.outcome === "exists") this.#ledger.readings.returned(result.operation, operation.tenant);
    else if (result.outcome === "created") this.#recorded.push(operation);
  }

  /** Compares the committed effects with how their transactions ended. */
  judge(): void {
    this.#ledger.effects.judge(this.#users.written());
  }

  #ended(how: TransactionEnd): void {
    this.#ledger.effects.ended(this.#effects, how);
    for (const operation of this.#recorded) {
      if (how === "committed") this.#ledger.records.recordedWith(operation, undefined);
      else this.#ledger.readings.rolledBack(operation.id);
    }
    this.#effects = [];
    this.#recorded = [];
  }
}

/** Wraps the synchronous transactions of a back end for one process. */
export function synchronousOf(
  own: Port,
  process: Process,
  transactions: SynchronousTransactions,
  { ledger, world, extras }: { readonly ledger: Ledger; readonly world: World; readonly extras: Extras },
): Port {
  return {
    settle: (lease, work, options) => {
      const { output } = options ?? {};
      let settlement: Settlement | undefined;
      let written: OutputAppend | undefined;
      const notedOutput = (): OutputAppend | undefined => {
        written = output?.();
        return written;
      };
      const noted = (handle: unknown): Settlement => {
        settlement = work(handle);
        return settlement;
      };
      const settle = async (): ReturnType<Port["settle"]> => {
        const result = await own.settle(lease, noted, { ...options, ...(output && { output: notedOutput }) });
        if (settlement === undefined || result.outcome !== "settled") return result;
        if (written !== undefined) ledger.appended(written, "stored");
        ledger.settledOnce(lease, settlement, result);
        return result;
      };
      const label = `settle-in-transaction(${short(lease.operationId)} ${lease.token})`;
      return transactions.call(process, label, settle, ({ outcome }) => outcome === "settled");
    },
    ...present({ append: appendOf(own, process, transactions, ledger) }),
    prepare: async (given) => {
      const submission = { ...given, operation: extras.of(given.operation) };
      const prepared = await world.call(process, `prepare(${brief(submission.operation)})`, () =>
        own.prepare(submission),
      );
      return {
        record: (handle) => {
          const result = prepared.record(handle);
          transactions.recorded(submission.operation, result);
          return result;
        },
      };
    },
  };
}

/** Wraps `append` for one process. Returns undefined if the back end has none. */
function appendOf(
  { append }: Port,
  process: Process,
  transactions: SynchronousTransactions,
  ledger: Ledger,
): Port["append"] {
  if (append === undefined) return undefined;
  return (lease, work, options) => {
    let written: OutputAppend | undefined;
    const noted = (handle: unknown): OutputAppend => {
      written = work(handle);
      return written;
    };
    const save = async (): ReturnType<typeof append> => {
      const result = await append(lease, noted, options);
      if (written !== undefined) ledger.appended(written, result);
      return result;
    };
    const label = `append-in-transaction(${short(lease.operationId)} ${lease.token})`;
    return transactions.call(process, label, save, (result) => result === "stored");
  };
}
