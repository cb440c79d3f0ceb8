import type { SqlClient, SqlPool, SqlResult, SqlStatement } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { poolOf } from "./pool-of.js";

/** Runs a statement with `run`, or returns its own result instead. */
export type Interceptor = (statement: SqlStatement, run: () => Promise<SqlResult>) => Promise<SqlResult>;

/** Creates a pool whose statements go through an interceptor. Other pools use the same connections without it. */
export function interceptStatements(pool: Pool, intercept: Interceptor): SqlPool<PoolClient & SqlClient> {
  const known = new WeakMap<PoolClient, unknown>();
  return poolOf(async () => {
    const client = await pool.connect();
    // Each interceptor looks like another connection and adds its own listeners.
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
