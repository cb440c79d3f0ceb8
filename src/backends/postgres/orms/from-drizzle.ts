import { misuse } from "../../../contract/options.js";
import { checkLibrary } from "../connection/check-library.js";
import type { SqlResult, SqlStatement } from "../connection/sql-database.js";
import type { SqlTransactions } from "../connection/sql-transactions.js";

/** Members of Drizzle that {@link fromDrizzle} uses, on `node-postgres` or `postgres-js`. */
export interface DrizzleLike<Tx> {
  /** Runs a function in a transaction. */
  transaction<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** Session of a transaction of Drizzle. */
interface DrizzleSession {
  /** A client of `pg`, or the `sql` of `postgres`. */
  client?: {
    query?(statement: SqlStatement): Promise<SqlResult>;
    unsafe?(text: string, values?: readonly unknown[]): Promise<SqlResult["rows"]>;
  };
}

/**
 * Uses transactions of Drizzle, for `createPostgresBackend({ pool, transactions })`.
 *
 * Throws `INVALID_OPTION`.
 */
export function fromDrizzle<Tx extends object>(db: DrizzleLike<Tx>): SqlTransactions<Tx> {
  checkLibrary("fromDrizzle", db, "a database of Drizzle, such as `drizzle(pool)`", "transaction");
  return {
    begin: (run) => db.transaction(run),
    query: async (tx, statement) => {
      const client = sessionOf(tx)?.client;
      if (client?.query !== undefined) return client.query(statement);
      if (client?.unsafe !== undefined)
        return { rows: await client.unsafe(statement.text, statement.values) };
      throw misuse(
        "Option `transactions` needs Drizzle on `drizzle-orm/node-postgres` or `drizzle-orm/postgres-js`.",
      );
    },
    // `postgres` throws outside of any promise if the connection of a transaction ends, and rolls back without Drizzle.
    seal: (tx) => {
      const session = sessionOf(tx);
      if (session?.client?.unsafe === undefined) return false;
      delete session.client;
      return true;
    },
    isTransaction: (value) => "rollback" in value && sessionOf(value)?.client !== undefined,
    example: "the `tx` of `db.transaction(async (tx) => …)`",
  };
}

function sessionOf(tx: object): DrizzleSession | undefined {
  return (tx as { readonly session?: DrizzleSession }).session;
}
