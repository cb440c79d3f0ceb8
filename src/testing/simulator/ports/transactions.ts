import type { Ledger } from "../ledger/ledger.js";
import { AT_BEGIN, AT_COMMIT, IN_BETWEEN } from "../world/fates.js";
import type { Process } from "../world/process.js";
import type { World } from "../world/world.js";
import { type Begun, connectionLost, Transaction, type TransactionParts } from "./transaction.js";

/** Your transactions on the database of a back end, with effects that {@link simulate} can count. */
export interface UserTransactions<Tx> {
  /** Runs a function in a new transaction. Commits if it resolves, and rolls back if it rejects. */
  run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Writes an effect, such as a row, in an open transaction of `run` or of the back end. */
  write(tx: Tx, effect: string): Promise<void>;
  /** Returns all committed effects. An effect that was written twice appears twice. */
  written(): Promise<readonly string[]>;
}

/**
 * Runs transactions as several calls: the begin, each statement, and the commit. At each call, the process can die,
 * the connection can break and the answer can get lost. Other events can happen between the calls.
 */
export class Transactions {
  /** Transactions of the user. Absent if the back end under test does not share its transactions. */
  readonly users: UserTransactions<unknown> | undefined;
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #begun = new Map<unknown, OpenTransaction>();

  constructor(world: World, ledger: Ledger, users: UserTransactions<unknown> | undefined) {
    this.#world = world;
    this.#ledger = ledger;
    this.users = users;
  }

  /** Whether all transactions have ended. */
  get areEnded(): boolean {
    return [...this.#begun.values()].every(({ isOpen }) => !isOpen);
  }

  /** Runs a transaction in a process. */
  async run<Value, Result>(parts: TransactionParts<Value, Result>): Promise<Result> {
    const { process, kind, name, work } = parts;
    const transaction = new Transaction(parts, this.#ledger);
    const lose = (): void => this.#world.blockOn(transaction.rollBack(connectionLost()));
    void process.death.then(() => transaction.isCommitting || lose());

    const begun = await this.#begin(`begin-${kind}(${name})`, transaction);
    if ("result" in begun) return begun.result;
    const value = await Promise.race([work(begun.tx), transaction.aborted]).catch(async (error: unknown) => {
      const rollingBack = transaction.rollBack(error);
      this.#world.blockOn(rollingBack);
      await rollingBack;
      throw error;
    });
    transaction.isCommitting = true;
    const commit = async (): Promise<Result> => {
      try {
        return await transaction.commit(value);
      } finally {
        await this.judge();
      }
    };
    const how = { fates: AT_COMMIT, onDropped: lose };
    return this.#world.call(process, `commit-${kind}(${name})`, commit, how);
  }

  /** Makes a call within an open transaction. A lost call breaks the connection, which rolls the transaction back. */
  async within<T>(
    process: Process,
    tx: unknown,
    label: string,
    run: (transaction: OpenTransaction) => Promise<T>,
  ): Promise<T> {
    const transaction = this.#begun.get(tx);
    if (transaction === undefined) throw connectionLost();
    let thrown: unknown;
    const statement = async (): Promise<T> => {
      try {
        if (transaction.isLost) throw connectionLost();
        return await run(transaction);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    return this.#world.call(process, label, statement, { fates: IN_BETWEEN }).catch((error: unknown) => {
      if (error !== thrown) this.#world.blockOn(transaction.rollBack(error));
      throw error;
    });
  }

  /** Writes an effect of the user in an open transaction. */
  async write(process: Process, tx: unknown, effect: string): Promise<void> {
    const { users } = this;
    if (users === undefined) return;
    await this.within(process, tx, `write(${effect})`, async (transaction) => {
      transaction.writing(effect);
      await users.write(tx, effect);
    });
  }

  /** Compares the committed effects with how their transactions ended. */
  async judge(): Promise<void> {
    if (this.users !== undefined) this.#ledger.effects.judge(await this.users.written());
  }

  /** Rolls back all open transactions, so that no lock outlives the history. */
  async endAll(): Promise<void> {
    for (const transaction of this.#begun.values()) await transaction.rollBack(connectionLost());
  }

  async #begin<Value, Result>(
    label: string,
    transaction: Transaction<Value, Result>,
  ): Promise<Begun<Result>> {
    let begun: Begun<Result> | undefined;
    const begin = async (): Promise<unknown> => {
      begun = await transaction.begin();
      if ("result" in begun) return begun.result;
      this.#begun.set(begun.tx, transaction);
      return "begun";
    };
    try {
      await this.#world.call(transaction.process, label, begin, { fates: AT_BEGIN });
    } catch (error) {
      this.#world.blockOn(transaction.rollBack(error));
      throw error;
    }
    if (begun === undefined) throw connectionLost();
    return begun;
  }
}

/** The part of a transaction that statements use. */
export type OpenTransaction = Pick<Transaction<unknown, unknown>, OfStatements>;

type OfStatements = "isLost" | "isOpen" | "writing" | "holds" | "records" | "onRollBack" | "rollBack";
