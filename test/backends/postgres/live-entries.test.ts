import {
  createPostgresBackend,
  type PostgresBackend,
  type PostgresBackendOptions,
} from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { expect, it } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres } from "../../support/postgres/server.js";
import { CLAIM, countStatements } from "./intercepted-statements.js";
import { newId, newOperation } from "./submissions.js";
import { openTestPool } from "./test-pool.js";
import { endingWith, inTransaction } from "./user-transaction.js";

/** Number of operations that began and ended while a transaction was open. Each left an entry in either index. */
const ENDED = 500_000;
/** Blocks of the table and its indexes that one look may read. */
const MOST_BLOCKS = 200;
const POLL_MS = 10;
/** Poll intervals after which a look passes all entries. */
const FULL_LOOKS = 64;

await describePostgres("looking for due work in Postgres while a transaction stays open", (server) => {
  type Claiming = ReturnType<typeof startClaiming>;

  /** A back end with a migrated schema, and a worker that claims at this interval until it begins something. */
  function startClaiming(
    schema: string,
    { pool, ...options }: Partial<PostgresBackendOptions<PoolClient>> = {},
  ) {
    const { pool: counted, seen } = countStatements((pool as Pool | undefined) ?? server.pool, CLAIM);
    const { pollIntervalMs = POLL_MS } = options;
    const backend = createPostgresBackend({ pool: counted, schema, pollIntervalMs, ...options });
    const listening = backend.queue.listen({ onRing: () => {}, onError: () => {} });
    listening.want(new Set(["orders"]));
    const stop = new AbortController();
    const claimed = claimUntil(backend, pollIntervalMs, stop.signal).finally(() => listening.close());
    return { backend, seen, claimed, stop };
  }

  async function claimUntil(backend: PostgresBackend<PoolClient>, intervalMs: number, signal: AbortSignal) {
    while (!signal.aborted) {
      const begun = await claimOnce(backend);
      if (begun.length > 0) return begun.map(({ id }) => id);
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    return [];
  }

  async function looks({ seen }: Claiming, count: number) {
    const wanted = seen.count + count;
    await expect.poll(() => seen.count, { interval: 1 }).toBeGreaterThanOrEqual(wanted);
  }

  /** Records an operation in a transaction that stays open for a while. Returns the looks from its commit until it is found. */
  async function looksUntilFound(
    claiming: Claiming,
    { submissions }: Pick<PostgresBackend<PoolClient>, "submissions">,
  ) {
    await looks(claiming, 2);
    const wanted = newOperation();
    const before = await endingWith("commit", server.pool, async (tx) => {
      await submissions.transactions?.recordIn(tx, { operation: wanted, fingerprint: "1:a" });
      await looks(claiming, 12);
      return claiming.seen.count;
    });
    expect(await claiming.claimed).toEqual([wanted.id]);
    return claiming.seen.count - before;
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
    const pool = openTestPool({ max: 1 });
    const claiming = startClaiming(schema, { pool, listen: false, pollIntervalMs: 20 * POLL_MS });
    await looks(claiming, 2);
    const before = await blocksOf(pool, schema);
    const from = claiming.seen.count;
    await looks(claiming, FULL_LOOKS / 8);
    claiming.stop.abort();
    expect(await claiming.claimed).toEqual([]);
    const perLook = ((await blocksOf(pool, schema)) - before) / (claiming.seen.count - from);
    // The same look without what the back end remembers.
    const all = await blocksOf(pool, schema);
    await claimOnce(createPostgresBackend({ pool, schema, listen: false, migrate: "manual" }));
    const atFirst = (await blocksOf(pool, schema)) - all;
    await open.query("rollback");
    open.release();
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
    const wanted = newOperation();
    await operations.create(wanted);
    expect(await claimOnce({ operations }, { leaseMs: 1 })).toHaveLength(1);
    const { claiming, before } = await inTransaction(server.pool, async (tx) => {
      await tx.query(`select from ${schema}.operations where id = $1 for update`, [wanted.id]);
      const claiming = startClaiming(schema, { listen: false });
      await looks(claiming, 12);
      return { claiming, before: claiming.seen.count };
    });
    expect(await claiming.claimed).toEqual([wanted.id]);
    expect(claiming.seen.count - before).toBeLessThanOrEqual(2);
  });

  it("finds what is due after the clock of the server was set back", async () => {
    const { operations, schema, migrate } = server.openOwn({ listen: false });
    await migrate();
    const claiming = startClaiming(schema, { listen: false });
    await looks(claiming, 2);
    await server.pool.query(`create or replace function ${schema}.now_v1() returns timestamptz language sql stable
      as 'select statement_timestamp() - interval ''1 hour'''`);
    const wanted = newOperation();
    await operations.create(wanted);
    const before = claiming.seen.count;
    expect(await claiming.claimed).toEqual([wanted.id]);
    expect(claiming.seen.count - before).toBeLessThanOrEqual(2);
  });
});

/** Returns the number of blocks that were read so far. */
async function blocksOf(pool: Pool, schema: string) {
  await pool.query("select pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ blocks: number }>(
    `select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as blocks
     from pg_statio_user_tables where schemaname = $1`,
    [schema],
  );
  return rows[0]?.blocks ?? Number.NaN;
}
