import type { SqlClient, SqlPool, SqlResult, SqlStatement } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { poolOf } from "./pool-of.js";

/** Runs a statement, or does not; `run` does what would have been done. */
export type Interceptor = (statement: SqlStatement, run: () => Promise<SqlResult>) => Promise<SqlResult>;

/** A pool whose statements go through an interceptor; others use the same connections without. */
export function interceptStatements(pool: Pool, intercept: Interceptor): SqlPool<PoolClient & SqlClient> {
  const known = new WeakMap<PoolClient, unknown>();
  return poolOf(async () => {
    const client = await pool.connect();
    // Each interceptor looks like another connection, and is listened to as one.
    client.setMaxListeners(0);
    const intercepted = known.get(client) ?? {
      query: (statement: SqlStatement) => intercept(statement, () => client.query(statement)),
      release: (destroy?: boolean) => client.release(destroy),
      on: client.on.bind(client),
    };
    known.set(client, intercepted);
    return intercepted as PoolClient & SqlClient;
  });
}
