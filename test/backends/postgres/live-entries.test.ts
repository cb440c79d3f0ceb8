import type { Delivery, NewOperation } from "async-request-reply/ports";
import {
  createPostgresBackend,
  type PostgresBackend,
  type PostgresBackendOptions,
} from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/ports/system-runtime.js";
import { receiveOnce } from "../../support/consumers.js";
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
  type Receiving = ReturnType<typeof startReceiving>;

  /** A back end with a migrated schema, and a receiver that looks until it receives something. */
  function startReceiving(
    schema: string,
    { pool, ...options }: Partial<PostgresBackendOptions<PoolClient>> = {},
  ) {
    const seen = { looks: 0 };
    const counted = interceptStatements((pool as Pool | undefined) ?? server.pool, (statement, run) => {
      if (/^select .*claim_v1/.test(statement.text)) seen.looks += 1;
      return run();
    });
    const backend = createPostgresBackend({ pool: counted, schema, pollIntervalMs: POLL_MS, ...options });
    const stop = new AbortController();
    const received = receiveOnce(backend.queue, { signal: stop.signal });
    return { backend, seen, received, stop };
  }

  async function looks({ seen }: Receiving, count: number): Promise<void> {
    const wanted = seen.looks + count;
    await expect.poll(() => seen.looks, { interval: 1 }).toBeGreaterThanOrEqual(wanted);
  }

  const idsOf = (deliveries: readonly Delivery[]): readonly string[] =>
    deliveries.map(({ announcement }) => announcement.operationId);

  /** Records an operation in a transaction that stays open for a while. Returns the looks from its commit until it is found. */
  async function looksUntilFound(
    receiving: Receiving,
    { submissions }: Pick<PostgresBackend<PoolClient>, "submissions">,
  ): Promise<number> {
    await looks(receiving, 2);
    const client = await server.pool.connect();
    await client.query("begin");
    const wanted = operation();
    await submissions.transactions?.recordIn(client, { operation: wanted, fingerprint: "1:a" });
    await looks(receiving, 12);
    const before = receiving.seen.looks;
    await client.query("commit");
    client.release();
    expect(idsOf(await receiving.received)).toEqual([wanted.id]);
    return receiving.seen.looks - before;
  }

  it(`passes few of the entries of ${ENDED} operations that have ended`, async () => {
    const { operations, schema } = server.openOwn();
    await operations.get(newId(), "a");
    const table = `${schema}.operations`;
    await server.pool.query(`alter table ${table} set unlogged`);
    await server.pool.query(`
      insert into ${table} (id, tenant, definition, state, input, retention_ms, created_at, due_at, announce_at)
      select lpad(to_hex(n), 32, '0')::uuid, 'a', 'orders', 'pending', '1', 0, now(),
        now() - interval '1 minute' + n * interval '10 us', now() from generate_series(1, ${ENDED}) n`);
    const open = await server.pool.connect();
    await open.query("begin isolation level repeatable read");
    await open.query("select pg_current_xact_id()");
    await server.pool.query(`update ${table} set token = 't'`);
    await server.pool.query(
      `update ${table} set state = 'completed', settled_at = now(), due_at = null, announce_at = null`,
    );
    const pool = openPool({ max: 1 });
    const receiving = startReceiving(schema, { pool, listen: false, pollIntervalMs: 20 * POLL_MS });
    await looks(receiving, 2);
    const before = await blocksOf(pool, schema);
    const from = receiving.seen.looks;
    await looks(receiving, FULL_LOOKS / 8);
    receiving.stop.abort();
    expect(await receiving.received).toEqual([]);
    const perLook = ((await blocksOf(pool, schema)) - before) / (receiving.seen.looks - from);
    // The same look without what the consumer remembers.
    const all = await blocksOf(pool, schema);
    await receiveOnce(receiving.backend.queue);
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
    const receiving = startReceiving(schema);
    const count = await looksUntilFound(receiving, here);
    // One may have begun before the commit.
    expect(count).toBeLessThanOrEqual(3);
    await receiving.backend.close();
    await here.close();
  });

  it("finds it without notifications too, after at most 64 poll intervals", async () => {
    const { schema, ...here } = server.openOwn({ listen: false });
    await here.migrate();
    const receiving = startReceiving(schema, { listen: false });
    const count = await looksUntilFound(receiving, here);
    expect(count).toBeLessThanOrEqual(FULL_LOOKS);
  });

  it("finds an operation at once whose lease ended long before another transaction unlocked it", async () => {
    const { operations, queue, schema } = server.openOwn({ listen: false });
    const wanted = operation();
    await operations.create(wanted);
    expect(await receiveOnce(queue, { leaseMs: 1 })).toHaveLength(1);
    const client = await server.pool.connect();
    await client.query("begin");
    await client.query(`select from ${schema}.operations where id = $1 for update`, [wanted.id]);
    const receiving = startReceiving(schema, { listen: false });
    await looks(receiving, 12);
    const before = receiving.seen.looks;
    await client.query("rollback");
    client.release();
    expect(idsOf(await receiving.received)).toEqual([wanted.id]);
    expect(receiving.seen.looks - before).toBeLessThanOrEqual(2);
  });

  it("finds what is due after the clock of the server was set back", async () => {
    const { operations, schema, migrate } = server.openOwn({ listen: false });
    await migrate();
    const receiving = startReceiving(schema, { listen: false });
    await looks(receiving, 2);
    await server.pool.query(`create or replace function ${schema}.now_v1() returns timestamptz language sql stable
      as 'select statement_timestamp() - interval ''1 hour'''`);
    const wanted = operation();
    await operations.create(wanted);
    const before = receiving.seen.looks;
    expect(idsOf(await receiving.received)).toEqual([wanted.id]);
    expect(receiving.seen.looks - before).toBeLessThanOrEqual(2);
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
