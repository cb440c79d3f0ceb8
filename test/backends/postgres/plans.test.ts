import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import type { PoolClient } from "pg";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/ports/system-runtime.js";
import { describePostgres, openPool } from "./server.js";

const { newId, newToken } = createSystemRuntime();
const FINISHED = 100_000;
/** More than any call below has to look at, and far less than there is. */
const MAX_ROWS = 200;

type Call = (backend: PostgresBackend<PoolClient>) => Promise<unknown>;

const DEFINITIONS = ["orders", "reports"];

async function begun({ operations }: PostgresBackend<PoolClient>) {
  const operation = { id: newId(), scope: "a", definition: "quiet", input: "1" };
  await operations.create(operation);
  const lease = { operationId: operation.id, token: newToken() };
  await operations.beginAttempt(operation.id, { ...lease, leaseMs: 60_000 });
  return { operation, lease };
}

const claim = { scope: "s1", definition: "orders", key: "k1", fingerprint: "1:a" };

const calls: Record<string, Call> = {
  "record of a new key": ({ submissions }) =>
    submissions.record({
      operation: { id: newId(), scope: "a", definition: "orders", key: newToken(), input: "1" },
      fingerprint: "1:a",
    }),
  "record of a known key": ({ submissions }) =>
    submissions.record({ operation: { id: newId(), input: "1", ...claim }, fingerprint: "1:a" }),
  "a claim and its release": async ({ idempotency }) => {
    await idempotency.claim({ ...claim, operationId: newId() });
    await idempotency.release({ ...claim, operationId: newId() });
  },
  takeStale: ({ idempotency }) => idempotency.takeStale({ olderThanMs: 1, limit: 10 }),
  "create, begin, renew, settle, and get": async (backend) => {
    const { operation, lease } = await begun(backend);
    await backend.operations.renew(lease, { leaseMs: 60_000 });
    await backend.operations.settle(lease, { to: "completed" });
    await backend.operations.get(operation.id, "a");
  },
  requestCancel: async (backend) => {
    const { operation } = await begun(backend);
    await backend.operations.requestCancel(operation.id, "a");
  },
  receive: ({ queue }) =>
    queue.receive({ definitions: DEFINITIONS, limit: 10, leaseMs: 60_000, signal: AbortSignal.abort() }),
  takeDue: ({ operations }) => operations.takeDue({ definitions: DEFINITIONS, limit: 10 }),
  "takeExpired and remove": async ({ operations }) => {
    const expired = await operations.takeExpired({ retentionMs: 1, limit: 10 });
    await operations.remove(
      expired.map(({ id }) => id),
      { afterMs: 60_000 },
    );
  },
  purge: ({ submissions }) => submissions.purge({ retentionMs: 1, limit: 10 }),
  list: ({ operations }) => Promise.resolve(operations.list?.({ limit: 10 })),
};

/** Finished operations, some that are due, some that only hold a key, half of each of either definition. */
function fill(schema: string): string {
  const columns = "id, scope, definition, key, bound, fingerprint, state, input, created_at";
  const values = (key: string, state: string): string =>
    `gen_random_uuid(), 's' || n % 100, case when n % 2 = 0 then 'orders' else 'reports' end, '${key}' || n, true, '1:a',
      '${state}', '{}', now()`;
  return `
    insert into ${schema}.operations (${columns}, settled_at, retained_from)
      select ${values("k", "completed")}, now() - n * interval '1 s', now() - n * interval '1 s'
      from generate_series(1, ${FINISHED}) n;
    insert into ${schema}.operations (${columns}, due_at, announce_at)
      select ${values("d", "pending")}, now() - n * interval '1 s', now() - n * interval '1 s'
      from generate_series(1, 5000) n;
    insert into ${schema}.operations (${columns}, claimed_for, due_at)
      select ${values("c", "claimed")}, gen_random_uuid(), now() - n * interval '1 s' from generate_series(1, 5000) n;`;
}

await describePostgres("what Postgres looks at", (server) => {
  it.each([
    ["with plans made for a table that was just emptied", "before"],
    ["with plans made for a full table", "after"],
  ])(
    `reads few rows by index, whatever is asked among ${FINISHED} finished operations, %s`,
    { timeout: 120_000 },
    async (_, made) => {
      // One connection, so that every call runs with the plans of the calls before it.
      const pool = openPool({ max: 1, options: "-c synchronous_commit=off" });
      const schema = server.newSchema();
      const backend = createPostgresBackend({ pool, schema, listen: false });
      try {
        await backend.migrate();
        if (made === "before") {
          for (const call of Object.values(calls))
            for (let time = 0; time < 10; time += 1) await call(backend);
          await pool.query(`delete from ${schema}.operations`);
          await pool.query(`vacuum ${schema}.operations`);
          for (const call of Object.values(calls))
            for (let time = 0; time < 10; time += 1) await call(backend);
        }
        await server.pool.query(`alter table ${schema}.operations set (autovacuum_enabled = off)`);
        await pool.query(fill(schema));
        if (made === "after") await pool.query(`analyze ${schema}.operations`);
        const looks = [];
        for (const [name, call] of Object.entries(calls)) {
          const before = await statistics();
          await call(backend);
          const after = await statistics();
          looks.push({ name, scans: after.scans - before.scans, few: after.rows - before.rows <= MAX_ROWS });
        }
        expect(looks).toEqual(Object.keys(calls).map((name) => ({ name, scans: 0, few: true })));
      } finally {
        await pool.end();
      }

      async function statistics(): Promise<{ readonly scans: number; readonly rows: number }> {
        await pool.query("select pg_stat_force_next_flush()");
        const { rows } = await pool.query<{ scans: number; rows: number }>(
          `select t.seq_scan::int as scans, (select sum(i.idx_tup_read)::int from pg_stat_user_indexes i
             where i.schemaname = $1) as rows from pg_stat_user_tables t
           where t.schemaname = $1 and t.relname = 'operations'`,
          [schema],
        );
        return rows[0] ?? { scans: Number.NaN, rows: Number.NaN };
      }
    },
  );
});
