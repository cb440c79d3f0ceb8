import { isObject, kindOf, misuse } from "../../../contract/options.js";
import type { Clock } from "../../../ports/runtime.js";
import { fromPool, ignoreErrorsOfAcquired, isClient } from "./from-pool.js";
import { fromTransactions, type SharedTransactions } from "./from-transactions.js";
import type { SqlClient, SqlDatabase, SqlPool } from "./sql-database.js";
import type { SqlTransactions } from "./sql-transactions.js";

/** Time limit of each call to a database. */
export interface CallLimit {
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Converts the option `pool` to a database.
 *
 * Throws `INVALID_OPTION`.
 */
export function toDatabase<Tx>(
  pool: SqlPool<Tx & SqlClient> | SqlDatabase<Tx>,
  limit: CallLimit,
): SqlDatabase<Tx> {
  if (isObject(pool)) {
    if ("queryIn" in pool) return pool;
    if (isClient(pool))
      throw misuse(
        "Option `pool` is a `Client` of `pg`, which is one connection. Pass a pool, such as " +
          "`new Pool({ connectionString })`.",
      );
    if (typeof pool.connect === "function") return fromPool(pool, limit);
  }
  // The value is not quoted, because a connection string can contain a password.
  throw misuse(
    "Option `pool` must be a `Pool` of `pg`, such as `new Pool({ connectionString })`, or the result of " +
      `\`fromPGlite(database)\`, not ${kindOf(pool)}.`,
  );
}

/**
 * Converts the option `transactions`. Default: the transactions of the pool.
 *
 * Throws `INVALID_OPTION`.
 */
export function toShared<Tx>(
  transactions: SqlTransactions<Tx> | undefined,
  pool: object,
  database: SqlDatabase<unknown>,
  limit: CallLimit,
): SharedTransactions<Tx> {
  if (transactions === undefined) return database as SqlDatabase<Tx>;
  const { begin, query } = Object(transactions) as Partial<SqlTransactions<Tx>>;
  if (typeof begin !== "function" || typeof query !== "function")
    throw misuse(
      "Option `transactions` must be the transactions of a library, such as the result of `fromDrizzle(db)`, not " +
        `${kindOf(transactions)}.`,
    );
  ignoreErrorsOfAcquired(pool);
  return fromTransactions(transactions, database, limit);
}
