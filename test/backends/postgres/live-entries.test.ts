import type { NewOperation } from "async-request-reply/ports";
import {
  createPostgresBackend,
  type PostgresBackend,
  type PostgresBackendOptions,
} from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOnce } from "../../support/claims.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";

const { newId } = createSystemRuntime();
/** Number of operations that began and ended while a transaction was open. Each left an entry in either index. */
const ENDED = 500_000;
/** Blocks of the table and its indexes that one look may read. */
const MOST_BLOCKS = 200;
const POLL_MS = 10;
/** Poll intervals after which a look passes all entries. */
const FULL_LOOKS = 64;

function operation(): NewOperation {
  return { id: newId(), tenant: "a", definition: "orders", input: "1", retentionMs: 60_000 };
}

await describePostgres("looking for due work in Postgres while a transaction stays open", (server) => {
  type Claiming = ReturnType<typeof startClaiming>;

  /** A back end with a migrated schema, and a worker that claims at this interval until it begins something. */
  function startClaiming(
    schema: string,
    { pool, ...options }: Partial<PostgresBackendOptions<PoolClient>> = {},
  ) {
    const seen = { looks: 0 };
    const counted = interceptStatements((pool as Pool | undefined) ?? server.pool, (statement, run) => {
      if (/^select .*claim_v1/.test(statement.text)) seen.looks += 1;
      return run();
    });
    const { pollIntervalMs = POLL_MS } = options;
    const backend = createPostgresBackend({ pool: counted, schema, pollIntervalMs, ...options });
    const listening = backend.queue.listen({ onRing: () => {}, onError: () => {} });
    listening.want(new Set(["orders"]));
    const stop = new AbortController();
    const claimed = claimUntil(backend, pollIntervalMs, stop.signal).finally(() => listening.close());
    return { backend, seen, claimed, stop };
  }

  async function claimUntil(
    backend: PostgresBackend<PoolClient>,
    intervalMs: number,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    while (!signal.aborted) {
      const begun = await claimOnce(backend);
      if (begun.length > 0) return begun.map(({ id }) => id);
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    return [];
  }

  async function looks({ seen }: Claiming, count: number): Promise<void> {
    const wanted = seen.looks + count;
    await expect.poll(() => seen.looks, { interval: 1 }).toBeGreaterThanOrEqual(wanted);
  }

  /** Records an operation in a transaction that stays open for a while. Returns the looks from its commit until it is found. */
  async function looksUntilFound(
    claiming: Claiming,
    { submissions }: Pick<PostgresBackend<PoolClient>, "submissions">,
  ): Promise<number> {
    await looks(claiming, 2);
    const client = await server.pool.connect();
    await client.query("begin");
    const wanted = operation();
    await submissions.transactions?.recordIn(client, { operation: wanted, fingerprint: "1:a" });
    await looks(claiming, 12);
    const before = claiming.seen.looks;
    await client.query("commit");
    client.release();
    expect(await claiming.claimed).toEqual([wanted.id]);
    return claiming.seen.looks - before;
  }

  it(`passes few of the entries of ${ENDED} operations that have ended`, async () => {
    const { operations, schema } = server.openOwn();
    await operations.get(newId(), "a");
    const table = `${schema}.operations`;
    await server.pool.query(`alter table ${table} set unlogged`);
    await server.pool.query(`
      insert into ${table} (id, tenant, definition, state, input, retention_ms, created_at, due_at)
      select lpad(to_hex(n), 32, '0')::uuid, 'a', 'orders', 'pending', '1', 0, now(),
        now() - interval '1 minute' + n * interval '10 us' from generate_series(1, ${ENDED}) n`);
    const open = await server.pool.connect();
    await open.query("begin isolation level repeatable read");
    await open.query("select pg_current_xact_id()");
    await server.pool.query(`update ${table} set token = 't'`);
    await server.pool.query(`update ${table} set state = 'completed', settled_at = now(), due_at = null`);
    const pool = openPool({ max: 1 });
    const claiming = startClaiming(schema, { pool, listen: false, pollIntervalMs: 20 * POLL_MS });
    await looks(claiming, 2);
    const before = await blocksOf(pool, schema);
    const from = claiming.seen.looks;
    await looks(claiming, FULL_LOOKS / 8);
    claiming.stop.abort();
    expect(await claiming.claimed).toEqual([]);
    const perLook = ((await blocksOf(pool, schema)) - before) / (claiming.seen.looks - from);
    // The same look without what the back end remembers.
    const all = await blocksOf(pool, schema);
    await claimOnce(createPostgresBackend({ pool, schema, listen: false, migrate: "manual" }));
    const atFirst = (await blocksOf(pool, schema)) - all;
    await open.query("rollback");
    open.release();
    await pool.end();
    console.log(
      `blocks per look among ${ENDED} ended operations: ${Math.round(perLook)}, and ${atFirst} at first`,
    );
    expect(atFirst).toBeGreaterThan(50 * MOST_BLOCKS);
    expect(perLook).toBeLessThan(MOST_BLOCKS);
  });

  it("finds at once what a transaction recorded long before its commit", async () => {
    const { schema, ...here } = server.openOwn();
    await here.migrate();
    const claiming = startClaiming(schema);
    const count = await looksUntilFound(claiming, here);
    // Some may have begun before the commit. Without this, it takes 64 poll intervals.
    expect(count).toBeLessThanOrEqual(6);
    await claiming.backend.close();
    await here.close();
  });

  it("finds it at once without notifications too, when its transaction has ended", async () => {
    const { schema, ...here } = server.openOwn({ listen: false });
    await here.migrate();
    const claiming = startClaiming(schema, { listen: false });
    const count = await looksUntilFound(claiming, here);
    // One may have begun before the commit, and the next one learns of it.
    expect(count).toBeLessThanOrEqual(4);
  });

  it("finds an operation at once whose lease ended long before another transaction unlocked it", async () => {
    const { operations, schema } = server.openOwn({ listen: false });
    const wanted = operation();
    await operations.create(wanted);
    expect(await claimOnce({ operations }, { leaseMs: 1 })).toHaveLength(1);
    const client = await server.pool.connect();
    await client.query("begin");
    await client.query(`select from ${schema}.operations where id = $1 for update`, [wanted.id]);
    const claiming = startClaiming(schema, { listen: false });
    await looks(claiming, 12);
    const before = claiming.seen.looks;
    await client.query("rollback");
    client.release();
    expect(await claiming.claimed).toEqual([wanted.id]);
    expect(claiming.seen.looks - before).toBeLessThanOrEqual(2);
  });

  it("finds what is due after the clock of the server was set back", async () => {
    const { operations, schema, migrate } = server.openOwn({ listen: false });
    await migrate();
    const claiming = startClaiming(schema, { listen: false });
    await looks(claiming, 2);
    await server.pool.query(`create or replace function ${schema}.now_v1() returns timestamptz language sql stable
      as 'select statement_timestamp() - interval ''1 hour'''`);
    const wanted = operation();
    await operations.create(wanted);
    const before = claiming.seen.looks;
    expect(await claiming.claimed).toEqual([wanted.id]);
    expect(claiming.seen.looks - before).toBeLessThanOrEqual(2);
  });
});

/** Returns the number of blocks that were read so far. */
async function blocksOf(pool: Pool, schema: string): Promise<number> {
  await pool.query("select pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ blocks: number }>(
    `select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as blocks
     from pg_statio_user_tables where schemaname = $1`,
    [schema],
  );
  return rows[0]?.blocks ?? Number.NaN;
}
