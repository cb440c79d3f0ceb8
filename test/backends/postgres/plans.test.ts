import { join } from "node:path";
import { defineOperation } from "async-request-reply";
import { createConsole } from "async-request-reply/console";
import { createOperator } from "async-request-reply/operator";
import type { ListRequest } from "async-request-reply/ports";
import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { blocksOf, page } from "../../support/pages.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { callAll, calls, DEFINITIONS, listTwoPages } from "./all-calls.js";
import { looksOf } from "./looks.js";

const FINISHED = 1_000_000;
/**
 * More than any call below should look at, and far less than exists: rows, and blocks of the table and its indexes.
 */
const MOST = { rows: 300, blocks: 1_000 };

/** Number of operations of a busy definition in each state: due, scheduled, running and failed. */
const BUSY = 30_000;
/** Counting stops at 10,001 in each state. */
const MOST_COUNTED = 4 * 10_001;

/** With the short interval, every waiting consumer looks for the begin of the live entries first. */
const OPTIONS = { listen: false, migrate: "manual", pollIntervalMs: 1 } as const;

/** Finished operations, some of them failed; and due operations, a third of them overdue. Half of each belong to either definition. */
function fill(schema: string) {
  const columns = "id, tenant, definition, key, bound, fingerprint, state, input, retention_ms, created_at";
  const values = (key: string, state: string) =>
    `gen_random_uuid(), 's' || n % 100, case when n % 2 = 0 then 'orders' else 'reports' end, '${key}' || n, true, '1:a',
      ${state}, '{}', 60000, now() - n * interval '1 s'`;
  // In order of time and key, so that the indexes grow at their ends, which is many times faster.
  const finished = values("k", "case when n % 50 in (0, 1) then 'failed' else 'completed' end")
    .replace("gen_random_uuid()", "lpad(to_hex(n), 32, '0')::uuid")
    .replace("'k' || n", "'k' || lpad(n::text, 7, '0')");
  const ended = `now() - (${FINISHED + 1} - n) * interval '1 s'`;
  return `
    insert into ${schema}.operations (${columns}, settled_at, expires_at)
      select ${finished.replace("now() - n * interval '1 s'", ended)}, ${ended}, ${ended} from generate_series(1, ${FINISHED}) n;
    insert into ${schema}.operations (${columns}, due_at, start_by)
      select ${values("d", "'pending'")}, now() - n * interval '1 s',
        case when n % 3 < 2 then now() + (n % 3) * interval '1 day' - n * interval '1 s' end
      from generate_series(1, 5000) n;`;
}

/** More of each state of one definition than are counted. */
function fillBusy(schema: string) {
  const columns = "id, tenant, definition, state, input, retention_ms, created_at";
  const values = (state: string) =>
    `gen_random_uuid(), 's1', 'busy', '${state}', '{}', 60000, now() - n * interval '1 s'`;
  const unfinished = (token: string, dueAt: string) => `
    insert into ${schema}.operations (${columns}, token, due_at)
      select ${values("pending")}, ${token}, ${dueAt} from generate_series(1, ${BUSY}) n;`;
  return `
    ${unfinished("null", "now() - n * interval '1 s'")}
    ${unfinished("null", "now() + n * interval '1 minute'")}
    ${unfinished("'t' || n", "now() + n * interval '1 minute'")}
    insert into ${schema}.operations (${columns}, settled_at) select ${values("failed")}, now() from generate_series(1, ${BUSY}) n;`;
}

await describePostgres("the work of Postgres", (server) => {
  // One connection each, so that every call runs with the plans of earlier calls.
  const pools: Pool[] = [];
  let schema: string;

  function connect(): { readonly pool: Pool; readonly backend: PostgresBackend<PoolClient> } {
    const pool = openPool({ max: 1, options: "-c synchronous_commit=off" });
    pools.push(pool);
    return { pool, backend: createPostgresBackend({ pool, schema, ...OPTIONS }) };
  }

  /** Expects that a call looks at this many rows, and a few others, by index. */
  async function expectFewLooks(pool: Pool, counted: number, call: () => Promise<unknown>) {
    const { scans, rows, blocks } = await looksOf(pool, schema, call);
    expect(scans).toBe(0);
    expect(rows).toBeLessThanOrEqual(counted + MOST.rows);
    expect(blocks).toBeLessThanOrEqual(counted + MOST.blocks);
  }

  const definitions = DEFINITIONS.map((name) =>
    defineOperation({ name, path: `/${name}`, input: z.object() }),
  );

  let early: ReturnType<typeof connect>;
  beforeAll(async () => {
    schema = server.newSchema();
    early = connect();
    await early.backend.migrate();
    // Both invalidate all plans, so they run first and not again.
    await early.pool.query(`alter table ${schema}.operations set unlogged`);
    await early.pool.query(`alter table ${schema}.operations set (autovacuum_enabled = off)`);
    await callAll(early.backend);
    await early.pool.query(`delete from ${schema}.operations`);
    await early.pool.query(`vacuum ${schema}.operations`);
    await callAll(early.backend);
    await server.pool.query(fill(schema));
  }, 120_000);
  afterAll(() => Promise.all(pools.map((pool) => pool.end())));

  it.each<readonly [string, () => ReturnType<typeof connect> | Promise<ReturnType<typeof connect>>]>([
    ["with plans made when the table had just been emptied and vacuumed", () => early],
    ["with plans made for a table of which the statistics say that it is empty", connect],
    [
      "with plans made for a table that was analyzed",
      async () => {
        await server.pool.query(`analyze ${schema}.operations`);
        return connect();
      },
    ],
  ])(`is few rows and blocks by index among ${FINISHED} finished operations, %s`, async (_, choose) => {
    const { pool, backend } = await choose();
    const wrong = [];
    for (const [name, call] of Object.entries(calls)) {
      const looks = await looksOf(pool, schema, () => call(backend));
      const isRight = looks.scans === 0 && looks.rows <= MOST.rows && looks.blocks <= MOST.blocks;
      // A counter that stands still would prove nothing.
      if (!isRight || looks.blocks === 0) wrong.push({ name, ...looks });
    }
    expect(wrong).toEqual([]);
  });

  it("stays within the limits of the counts", async () => {
    await server.pool.query(fillBusy(schema));
    const { pool, backend } = connect();
    const stats = async () => backend.operations.stats({ definitions: ["busy", "nothing"] });
    const many = { count: 10_000, more: true };
    const none = { count: 0, more: false };
    expect(await stats()).toMatchObject([
      { definition: "busy", due: many, running: many, scheduled: many, failed: many },
      { definition: "nothing", due: none, running: none, scheduled: none, failed: none },
    ]);
    await expectFewLooks(pool, MOST_COUNTED, stats);
    await server.pool.query(`delete from ${schema}.operations where definition = 'busy'`);
  });

  it("stays within the limits of the counts for the first page and the statistics of a console", async () => {
    const { pool, backend } = connect();
    const operator = createOperator({ backend, definitions, observe: false });
    const page = createConsole({ operator, authorize: () => "observe", observe: false });
    const open = async () => {
      for (const path of ["/", "/api/overview", "/api/operations?status=failed"]) {
        const reply = await page.handle({ method: "GET", path, headers: {} });
        expect(reply.status).toBe(200);
      }
    };
    await open();
    const startedAt = performance.now();
    await open();
    console.log(`the console among ${FINISHED} operations: ${Math.round(performance.now() - startedAt)} ms`);
    await expectFewLooks(pool, MOST_COUNTED, open);
  });

  it("stays within the limit of a redrive for its dry run", async () => {
    const { pool, backend } = connect();
    const operator = createOperator({ backend, definitions, observe: false });
    const preview = async () =>
      expect(await operator.redrive({ definition: "orders" }, { dryRun: true })).toMatchObject({
        more: true,
      });
    await expectFewLooks(pool, 10_000, preview);
  });

  it("is small for other lists too, with the indexes on the page about Postgres", async () => {
    const lists: readonly Omit<ListRequest, "limit" | "after">[] = [
      { tenant: "s1" },
      { tenant: "nobody" },
      { tenant: "s3", definition: "reports", state: "completed" },
      {},
      { definition: "orders", internal: true },
      { state: "pending" },
      { createdFrom: Date.now() - FINISHED * 1_000, createdBefore: Date.now() - (FINISHED / 2) * 1_000 },
    ];
    const { pool, backend } = connect();
    const without = await looksOf(pool, schema, () => listTwoPages(backend, { tenant: "nobody" }));
    expect(without.blocks).toBeGreaterThan(MOST.blocks);
    const indexes = blocksOf(page(join("docs", "postgres.md")), "sql").filter(({ text }) =>
      text.includes("create index"),
    );
    // On the same connection, which reports its own scans of the table before the lists.
    for (const { text } of indexes)
      await pool.query(text.replaceAll("async_request_reply", schema).replaceAll("concurrently", ""));
    const wrong = [];
    for (const list of lists) {
      const looks = await looksOf(pool, schema, () => listTwoPages(backend, list));
      if (looks.scans > 0 || looks.rows > MOST.rows || looks.blocks > MOST.blocks)
        wrong.push({ list, ...looks });
    }
    expect(wrong).toEqual([]);
  });
});
