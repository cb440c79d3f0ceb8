import { untilAborted } from "../../../platform/waits.js";
import { checkLibrary } from "./check-library.js";
import { checkTransaction } from "./open-transaction.js";
import type { SqlDatabase, SqlListener, SqlResult } from "./sql-database.js";

/** Transaction of PGlite. */
export interface PGliteTransaction {
  /** Runs one statement with values for `$1`, `$2` and so on. */
  query(text: string, values?: unknown[]): Promise<SqlResult>;
}

/** Members of PGlite that {@link fromPGlite} uses. */
export interface PGliteLike extends PGliteTransaction {
  /** Runs one or more statements without values. */
  exec(text: string): Promise<unknown>;
  /** Runs a function in a transaction, which is rolled back if the function throws. */
  transaction<Result>(run: (tx: PGliteTransaction) => Promise<Result>): Promise<Result>;
  /** Calls `onMessage` for each notification on a channel. Resolves to a function that stops listening. */
  listen?(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
}

const OPEN_TRANSACTION = "the transaction that `database.transaction()` passes to your function";

/**
 * Adapts a PGlite database, which is Postgres in this process, for `createPostgresBackend({ pool })`.
 *
 * PGlite has one connection, so everything else waits while a transaction is open. Inside a transaction, never await
 * another call of the same back end: it would wait until it times out.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromPGlite(database: PGliteLike): SqlDatabase<PGliteTransaction> {
  checkLibrary(
    "fromPGlite",
    database,
    "a database of PGlite, such as `new PGlite()`",
    "query",
    "exec",
    "transaction",
  );
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
