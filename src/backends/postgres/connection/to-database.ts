import { isObject, kindOf, misuse } from "../../../contract/options.js";
import type { Clock } from "../../../ports/runtime.js";
import { fromPool, isClient } from "./from-pool.js";
import type { SqlClient, SqlDatabase, SqlPool } from "./sql-database.js";

/**
 * Converts the option `pool` to a database.
 *
 * Throws `INVALID_OPTION`.
 */
export function toDatabase<Tx>(
  pool: SqlPool<Tx & SqlClient> | SqlDatabase<Tx>,
  timeoutMs: number,
  clock: Clock,
): SqlDatabase<Tx> {
  if (isObject(pool)) {
    if ("queryIn" in pool) return pool;
    if (isClient(pool))
      throw misuse(
        "Option `pool` is a `Client` of `pg`, which is one connection. Pass a pool, such as " +
          "`new Pool({ connectionString })`.",
      );
    if (typeof pool.connect === "function") return fromPool(pool, { timeoutMs, clock });
  }
  // The value is not quoted, because a connection string can contain a password.
  throw misuse(
    "Option `pool` must be a `Pool` of `pg`, such as `new Pool({ connectionString })`, or the result of " +
      `\`fromPGlite(database)\`, not ${kindOf(pool)}.`,
  );
}
