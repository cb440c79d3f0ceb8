import { checkTransaction } from "./check-transaction.js";
import type { SqlDatabase, SqlListener, SqlResult } from "./sql-database.js";
import { untilAborted } from "./until-aborted.js";

/** A transaction of PGlite. */
export interface PGliteTransaction {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<SqlResult>;
}

/** The part of PGlite that is used. */
export interface PGliteLike extends PGliteTransaction {
  /** Runs any number of statements. */
  exec(text: string): Promise<unknown>;
  /** Runs a function in one transaction. */
  transaction<Result>(run: (tx: PGliteTransaction) => Promise<Result>): Promise<Result>;
  /** Tells of notifications. */
  listen?(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
}

const OPEN_TRANSACTION = "the transaction that `database.transaction()` passes to your function";

/**
 * PGlite, Postgres in this process, as a database. It has one connection: while a transaction is open everything else
 * waits, so that nothing within it may wait for anything else of this back end.
 */
export function fromPGlite(database: PGliteLike): SqlDatabase<PGliteTransaction> {
  const listen = database.listen?.bind(database);
  return {
    query: async (statement) => {
      if (statement.values !== undefined) return database.query(statement.text, statement.values);
      await database.exec(statement.text);
      return { rows: [] };
    },
    transaction: (run, signal) => database.transaction((tx) => untilAborted(run(tx), signal)),
    queryIn: (tx) => {
      checkTransaction(tx, tx === database, OPEN_TRANSACTION);
      return (statement) => tx.query(statement.text, statement.values);
    },
    ...(listen === undefined ? {} : { listen: async (onMessage) => listenerOf(listen, onMessage) }),
  };
}

function listenerOf(
  listen: NonNullable<PGliteLike["listen"]>,
  onMessage: (channel: string, message: string) => void,
): SqlListener {
  const ends = new Map<string, () => Promise<void>>();
  return {
    listen: async (channel) => {
      if (ends.has(channel)) return;
      ends.set(channel, await listen(channel, (message) => onMessage(channel, message)));
    },
    end: async () => {
      for (const end of ends.values()) await end();
    },
  };
}
