import type { RunningLimits } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createSystemRuntime } from "../../../src/ports/system-runtime.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { looksOf } from "./looks.js";

const { newToken } = createSystemRuntime();
const WAITING = 100_000;
/** Blocks of the table and its indexes that a claim may read while nothing can begin. */
const MOST_BLOCKS = 200;

await describePostgres(`places among ${WAITING} waiting operations`, (server) => {
  let schema: string;
  const pools: Pool[] = [];
  const pool = (): Pool => pools[0] as Pool;
  beforeAll(async () => {
    schema = server.newSchema();
    for (let index = 0; index < 4; index += 1)
      pools.push(openPool({ max: 1, options: "-c synchronous_commit=off" }));
    await createPostgresBackend({ pool: pool(), schema }).migrate();
    await pool().query(`alter table ${schema}.operations set unlogged`);
  }, 60_000);
  afterAll(() => Promise.all(pools.map((each) => each.end())));

  const add = async (
    definition: string,
    tenant: string,
    lane: string | null,
    count: number,
  ): Promise<void> => {
    await pool().query(
      `insert into ${schema}.operations (id, tenant, definition, lane, state, input, retention_ms, created_at, due_at, announce_at)
       select gen_random_uuid(), $1, $2, $3, 'pending', '1', 0, now() + n * interval '1 ms', now() - interval '1 minute',
         now() from generate_series(1, $4) n`,
      [tenant, definition, lane, count],
    );
    await pool().query(`vacuum analyze ${schema}.operations`);
  };

  function claimer(definition: string, by: Pool, limits?: RunningLimits) {
    const backend = createPostgresBackend({ pool: by, schema, listen: false, migrate: "manual" });
    const consumer = backend.queue.consume({
      definitions: [{ name: definition, concurrency: 10, leaseMs: 60_000, limits }],
    });
    const claim = async (limit = 10): Promise<readonly string[]> => {
      const request = { slots: new Map([[definition, limit]]), limit, token: newToken() };
      const received = await consumer.receive({ ...request, signal: AbortSignal.abort() });
      return received.map(({ announcement }) => announcement.operationId);
    };
    return { backend, claim };
  }

  it("looks once at a tenant without a place, however much of its work is due", async () => {
    await add("limited", "flood", null, WAITING);
    const { claim } = claimer("limited", pool(), { runningPerTenant: 2 });
    expect(await claim()).toHaveLength(2);
    let received: readonly string[] = [];
    const looks = await looksOf(pool(), schema, async () => {
      received = await claim();
    });
    console.log(`a claim beside ${WAITING} operations of a full tenant reads ${looks.blocks} blocks`);
    expect(received).toEqual([]);
    expect(looks.scans).toBe(0);
    expect(looks.blocks).toBeLessThan(MOST_BLOCKS);
  });

  it("does not search a long lane again, and gives it to the next operation at its end", async () => {
    await add("laned", "a", "long", 1_000);
    const { backend, claim } = claimer("laned", pool());
    const received: string[] = [];
    for (let call = 0; call < 10; call += 1) received.push(...(await claim()));
    expect(received).toHaveLength(1);
    const looks = await looksOf(pool(), schema, async () => {
      expect(await claim()).toEqual([]);
    });
    console.log(`a claim beside a lane of 1000 operations reads ${looks.blocks} blocks`);
    expect(looks.blocks).toBeLessThan(MOST_BLOCKS);
    expect(await backend.operations.requestCancel(received[0] ?? "", "a")).toBe("requested");
    const [running] = (await pool().query(`select token from ${schema}.operations where id = $1`, received))
      .rows;
    const retry = { to: "retry", delayMs: 0, countAttempt: false } as const;
    await backend.operations.settle({ operationId: received[0] ?? "", token: running.token }, retry);
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
  });

  it("passes a lane that another transaction holds, and does not wait for it", async () => {
    await add("held", "a", "one", 20);
    await add("held", "b", null, 1);
    const { claim } = claimer("held", pool());
    const other = await (pools[3] as Pool).connect();
    try {
      await other.query("begin");
      await other.query(`select pg_advisory_xact_lock(${schema}.lane_lock_v1('held', 'a', 'one'))`);
      expect(await claim(2)).toHaveLength(1);
      expect(await claim(2)).toEqual([]);
      await other.query("commit");
      expect(await claim(2)).toHaveLength(1);
    } finally {
      other.release();
    }
  });

  it("does not count before an open claim of another process has ended", async () => {
    await add("locked", "a", null, 100);
    const limits = { running: 7 };
    const [first, second] = pools.slice(1).map((each) => claimer("locked", each, limits));
    const other = await (pools[3] as Pool).connect();
    try {
      await other.query("begin");
      const { rows } = await other.query(
        `select outcome from ${schema}.claim_v1('{locked}', '{5}', '{60000}', '{t}', '{1}', '{0}', '{7}', '{0}', '{f}', '{}',
           5, 'other', false, '')`,
      );
      expect(rows.filter(({ outcome }) => outcome === "begun")).toHaveLength(5);
      let ended = 0;
      const claims = [first?.claim(), second?.claim()].map((claim) => claim?.finally(() => (ended += 1)));
      const waits = "select from pg_locks where locktype = 'advisory' and not granted";
      await vi.waitUntil(async () => ended + ((await pool().query(waits)).rowCount ?? 0) >= 2);
      await other.query("commit");
      expect((await Promise.all(claims)).flat()).toHaveLength(2);
    } finally {
      other.release();
    }
  });

  it.each(["repeatable read", "serializable"])(
    "keeps the limits with a default isolation level of %s",
    async (level) => {
      const definition = level.replace(" ", "-");
      await add(definition, "a", null, 20);
      await add(definition, "b", "one", 20);
      const own = openPool({
        max: 1,
        options: `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`,
      });
      try {
        const { claim } = claimer(definition, own, { running: 3 });
        expect(await claim()).toHaveLength(3);
        expect(await claim()).toEqual([]);
      } finally {
        await own.end();
      }
    },
  );

  it("keeps the limits when several processes claim at once", async () => {
    await add("raced", "a", null, 200);
    await add("raced", "b", null, 200);
    const limits = { running: 7, runningPerTenant: 4 };
    const claimers = pools.map((each) => claimer("raced", each, limits));
    const all = await Promise.all(
      Array.from({ length: 5 }, () => claimers.map(({ claim }) => claim(2))).flat(),
    );
    const rest = await claimers[0]?.claim();
    expect([...all.flat(), ...(rest ?? [])]).toHaveLength(7);
    const { rows } = await pool().query(
      `select tenant, count(*)::integer as running from ${schema}.operations
       where definition = 'raced' and token is not null group by tenant order by 1`,
    );
    expect(rows.map(({ running }) => running).sort()).toEqual([3, 4]);
  });
});
