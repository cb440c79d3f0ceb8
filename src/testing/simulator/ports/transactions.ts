import type { Ledger } from "../ledger/ledger.js";
import { AT_BEGIN, AT_COMMIT, IN_BETWEEN } from "../world/fates.js";
import type { Process, World } from "../world/world.js";
import { type Begun, connectionLost, Transaction, type TransactionParts } from "./transaction.js";

/** Transactions of your own on the database of a back end, with effects that {@link simulate} can count. */
export interface UserTransactions<Tx> {
  /** Runs a function in a transaction that you begin and end. Commits if it resolves, rolls back if it rejects. */
  run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Writes an effect, such as a row, in an open transaction: one of `run` or one of the back end. */
  write(tx: Tx, effect: string): Promise<void>;
  /** Returns all committed effects. An effect that was written twice is there twice. */
  written(): Promise<readonly string[]>;
}

/**
 * Runs transactions over several acts of the world: one that begins, one for each statement, and one that commits. At each
 * of them the process can die, the connection break and the answer get lost, and everything else goes on in between.
 */
export class Transactions {
  /** The user's own, if the back end under test comes with them. */
  readonly users: UserTransactions<unknown> | undefined;
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #begun = new Map<unknown, OpenTransaction>();

  constructor(world: World, ledger: Ledger, users: UserTransactions<unknown> | undefined) {
    this.#world = world;
    this.#ledger = ledger;
    this.users = users;
  }

  /** Whether none is open. */
  get areEnded(): boolean {
    return [...this.#begun.values()].every(({ isOpen }) => !isOpen);
  }

  /** Runs a transaction in a process. */
  async run<Value, Result>(parts: TransactionParts<Value, Result>): Promise<Result> {
    const { process, kind, name, work } = parts;
    const transaction = new Transaction(parts, this.#ledger);
    const lose = (): void => this.#world.follow(transaction.rollBack(connectionLost()));
    void process.death.then(() => transaction.isCommitting || lose());

    const begun = await this.#begin(`begin-${kind}(${name})`, transaction);
    if ("result" in begun) return begun.result;
    const value = await Promise.race([work(begun.tx), transaction.givenUp]).catch(async (error: unknown) => {
      const rollingBack = transaction.rollBack(error);
      this.#world.follow(rollingBack);
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

  /** Makes a call within an open transaction. If the call is lost, the connection is broken, and the transaction with it. */
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
      if (error !== thrown) this.#world.follow(transaction.rollBack(error));
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

  /** Compares the effects that can be seen with how their transactions ended. */
  async judge(): Promise<void> {
    if (this.users !== undefined) this.#ledger.effects.judge(await this.users.written());
  }

  /** Rolls back what is still open, so that no lock outlives the history. */
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
      this.#world.follow(transaction.rollBack(error));
      throw error;
    }
    if (begun === undefined) throw connectionLost();
    return begun;
  }
}

/** What statements need of their transaction. */
export type OpenTransaction = Pick<Transaction<unknown, unknown>, OfStatements>;

type OfStatements = "isLost" | "isOpen" | "writing" | "holds" | "records" | "waits" | "rollBack";
