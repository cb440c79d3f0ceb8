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

/** Statements that record submissions, and those that look for work. */
export const RECORD = /^select .*record_\w+\(/;
export const CLAIM = /^select .*claim_v1/;

/** Creates a pool that counts the statements whose text matches, before they run. */
export function countStatements(pool: Pool, pattern: RegExp) {
  const seen = { count: 0 };
  const counted = interceptStatements(pool, ({ text }, run) => {
    seen.count += Number(pattern.test(text));
    return run();
  });
  return { pool: counted, seen };
}

/** Creates a pool that counts failures of statements. */
export function countFailures(
  pool: Pool,
  counts: (error: { readonly code?: string }, statement: SqlStatement) => boolean,
) {
  const failures = { count: 0 };
  const counted = interceptStatements(pool, (statement, run) =>
    run().catch((error: { readonly code?: string }) => {
      failures.count += Number(counts(error, statement));
      throw error;
    }),
  );
  return { pool: counted, failures };
}

/** Creates a pool that loses one answer: the statement takes effect, but the caller gets a connection error. */
export function loseOneAnswer(pool: Pool, pattern: RegExp) {
  let lost = 0;
  const losing = interceptStatements(pool, async (statement, run) => {
    const result = await run();
    if (pattern.test(statement.text) && lost++ === 0) throw new Error("Connection terminated unexpectedly");
    return result;
  });
  return { pool: losing, repeated: () => lost > 1 };
}
