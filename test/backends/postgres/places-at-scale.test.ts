import type { RunningLimits } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { type Looks, leastLooksOf } from "./looks.js";
import { openTestPool } from "./test-pool.js";
import { inTransaction } from "./user-transaction.js";

const WAITING = 100_000;
/** Blocks of the table and its indexes that a claim may read while nothing can begin. */
const MOST_BLOCKS = 200;
const LEASE_MS = 60_000;

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

  async function add(definition: string, tenant: string, lane: string | null, count: number) {
    await pool().query(
      `insert into ${schema}.operations (id, tenant, definition, lane, state, input, retention_ms, created_at, due_at)
       select gen_random_uuid(), $1, $2, $3, 'pending', '1', 0, now() + n * interval '1 ms', now() - interval '1 minute'
       from generate_series(1, $4) n`,
      [tenant, definition, lane, count],
    );
    await pool().query(`vacuum analyze ${schema}.operations`);
  }

  function claimer(definition: string, by: Pool, limits?: RunningLimits, pollIntervalMs = 1_000) {
    const options = { schema, listen: false, migrate: "manual", pollIntervalMs } as const;
    const backend = createPostgresBackend({ pool: by, ...options });
    const claim = async (limit = 10, leaseMs = LEASE_MS) =>
      (await claimOnce(backend, { definitions: [definition], limit, limits, leaseMs })).map(({ id }) => id);
    return { backend, claim };
  }

  type Claim = ReturnType<typeof claimer>["claim"];

  /** Returns what a claim reads that begins nothing. */
  async function looksOfNone(beside: string, claim: Claim): Promise<Looks> {
    const looks = await leastLooksOf(pool(), schema, async () => {
      expect(await claim()).toEqual([]);
    });
    console.log(`a claim beside ${beside} reads ${looks.blocks} blocks`);
    return looks;
  }

  /** Runs a function in a transaction that sees the table as it is now. */
  const whileOpen = (run: () => Promise<void>) =>
    inTransaction(
      pools[3] as Pool,
      async (other) => {
        await other.query("select pg_current_xact_id()");
        await run();
      },
      "isolation level repeatable read",
    );

  async function tokenOf(id: string) {
    return (await pool().query(`select token from ${schema}.operations where id = $1`, [id])).rows[0].token;
  }

  it("looks once at a tenant without a place, however much of its work is due", async () => {
    await add("limited", "flood", null, WAITING);
    const { claim } = claimer("limited", pool(), { runningPerTenant: 2 });
    expect(await claim()).toHaveLength(2);
    const { scans, blocks } = await looksOfNone(`${WAITING} operations of a full tenant`, claim);
    expect(scans).toBe(0);
    expect(blocks).toBeLessThan(MOST_BLOCKS);
  });

  it("reads few blocks for each of 1,600 tenants without a place", async () => {
    await pool().query(
      `insert into ${schema}.operations (id, tenant, definition, state, input, retention_ms, created_at, due_at)
       select gen_random_uuid(), 't' || n % 1600, 'tenants', 'pending', '1', 0, now(), now() - interval '1 minute'
       from generate_series(1, 4800) n`,
    );
    await pool().query(`vacuum analyze ${schema}.operations`);
    const { claim } = claimer("tenants", pool(), { runningPerTenant: 1 });
    expect(await claim(2_000)).toHaveLength(1_600);
    await pool().query(`vacuum analyze ${schema}.operations`);
    const { blocks } = await looksOfNone("1600 tenants without a place", claim);
    expect(blocks).toBeLessThan(1_600 * 10);
  });

  it("looks at each of 5,000 tenants without a place once, in claims that follow each other", async () => {
    await pool().query(
      `insert into ${schema}.operations (id, tenant, definition, state, input, retention_ms, created_at, due_at)
       select gen_random_uuid(), 't' || n % 5000, 'crowd', 'pending', '1', 0, now(), now() - interval '1 minute'
       from generate_series(1, 10000) n`,
    );
    await pool().query(`vacuum analyze ${schema}.operations`);
    const { backend, claim } = claimer("crowd", pool(), { runningPerTenant: 1 });
    const running = await claim(6_000);
    expect(running).toHaveLength(5_000);
    const claimAll = async () => {
      const outcomes: (number | string)[] = [];
      for (let again = true; again; ) {
        const definition = { name: "crowd", slots: 10, leaseMs: LEASE_MS, suspects: 0 };
        const definitions = [{ ...definition, limits: { runningPerTenant: 1 } }];
        const claimed = await backend.operations.claim({
          token: `${outcomes.length}`,
          limit: 10,
          definitions,
        });
        outcomes.push(claimed.begun[0]?.operation.tenant ?? "none");
        again = claimed.again;
      }
      return outcomes;
    };
    expect(await claimAll()).toEqual(["none", "none", "none"]);
    const [operationId = ""] = running.slice(2_500);
    const lease = { operationId, token: await tokenOf(operationId) };
    const { tenant } = (await backend.operations.getMany([operationId]))[0] ?? {};
    await backend.operations.settle(lease, { to: "completed" });
    const found = await claimAll();
    expect(found.filter((outcome) => outcome !== "none")).toEqual([tenant]);
    expect(found.length).toBeLessThanOrEqual(6);
  });

  it("passes few attempts that have ended while a transaction stays open", async () => {
    await add("ended", "a", null, 20_000);
    const { claim } = claimer("ended", pool(), { runningPerTenant: 1 });
    expect(await claim(1)).toHaveLength(1);
    await whileOpen(async () => {
      const ended = `definition = 'ended' and token is null`;
      await pool().query(
        `update ${schema}.operations set token = 't', limited = true, due_at = now() + interval '20 s'
         where id in (select id from ${schema}.operations where ${ended} order by id limit 10000)`,
      );
      await pool().query(
        `update ${schema}.operations set state = 'completed', settled_at = now(), due_at = null where token = 't'`,
      );
      expect(await claim()).toEqual([]);
      const { blocks } = await looksOfNone("10000 attempts that have ended", claim);
      expect(blocks).toBeLessThan(MOST_BLOCKS);
    });
  });

  it("counts attempts with a shorter lease, which others begin later", async () => {
    await add("shorter", "a", null, 10);
    const limits = { runningPerTenant: 2 };
    const [first, second] = pools.slice(1).map((each) => claimer("shorter", each, limits));
    expect(await first?.claim(1)).toHaveLength(1);
    // The first process begins its counts at the end of that lease, unless it learns that there are shorter ones.
    expect(await second?.claim(1, 5_000)).toHaveLength(1);
    expect(await first?.claim()).toEqual([]);
    expect(await second?.claim()).toEqual([]);
  });

  it("does not search a long lane again, and gives it to the next operation at its end", async () => {
    await add("laned", "a", "long", 1_000);
    const { backend, claim } = claimer("laned", pool());
    const received: string[] = [];
    for (let call = 0; call < 10; call += 1) received.push(...(await claim()));
    expect(received).toHaveLength(1);
    const { blocks } = await looksOfNone("a lane of 1000 operations", claim);
    expect(blocks).toBeLessThan(MOST_BLOCKS);
    const [operationId = ""] = received;
    expect(await backend.operations.requestCancel(operationId, "a")).toBe("requested");
    const lease = { operationId, token: await tokenOf(operationId) };
    await backend.operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: false });
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
  });

  it("reads few blocks for a long lane while a transaction stays open", async () => {
    await add("long", "a", "one", 3_000);
    const { backend, claim } = claimer("long", pool(), undefined, 50);
    const runOne = async () => {
      let operationId: string | undefined;
      // One claim sets aside at most 256 that are behind.
      while (operationId === undefined) [operationId] = await claim();
      const lease = { operationId, token: await tokenOf(operationId) };
      await backend.operations.settle(lease, { to: "completed" });
    };
    await whileOpen(async () => {
      for (let count = 0; count < 1_000; count += 1) await runOne();
      const looks = await leastLooksOf(pool(), schema, runOne);
      console.log(`passing the turn in a lane in which 1000 have ended reads ${looks.blocks} blocks`);
      expect(looks.blocks).toBeLessThan(3 * MOST_BLOCKS);
    });
  });

  it("passes a lane that another transaction holds, and does not wait for it", async () => {
    await add("held", "a", "one", 20);
    await add("held", "b", null, 1);
    const { claim } = claimer("held", pool());
    await inTransaction(pools[3] as Pool, async (other) => {
      await other.query(`select pg_advisory_xact_lock(${schema}.lane_lock_v1('held', 'a', 'one'))`);
      expect(await claim(2)).toHaveLength(1);
      expect(await claim(2)).toEqual([]);
      await other.query("commit");
      expect(await claim(2)).toHaveLength(1);
    });
  });

  it("takes no lock while nothing is due", async () => {
    const { claim } = claimer("empty", pool(), { running: 1 });
    await inTransaction(pools[3] as Pool, async (other) => {
      await other.query(`select ${schema}.lock_places_v1('{empty}')`);
      expect(await claim()).toEqual([]);
    });
  });

  it("does not count before an open claim of another process has ended", async () => {
    await add("locked", "a", null, 100);
    const limits = { running: 7 };
    const [first, second] = pools.slice(1).map((each) => claimer("locked", each, limits));
    await inTransaction(pools[3] as Pool, async (other) => {
      const { rows } = await other.query(
        `select outcome from ${schema}.claim_v1('{locked}', '{5}', '{60000}', '{t}', '{1}', '{0}', '{7}', '{0}', '{f}', '{}',
           5, 'other', false, '', null)`,
      );
      expect(rows.filter(({ outcome }) => outcome === "begun")).toHaveLength(5);
      let ended = 0;
      const claims = [first?.claim(), second?.claim()].map((claim) => claim?.finally(() => (ended += 1)));
      const waits = "select from pg_locks where locktype = 'advisory' and not granted";
      await vi.waitUntil(async () => ended + ((await pool().query(waits)).rowCount ?? 0) >= 2);
      await other.query("commit");
      expect((await Promise.all(claims)).flat()).toHaveLength(2);
    });
  });

  it.each(["repeatable read", "serializable"])(
    "keeps the limits with a default isolation level of %s",
    async (level) => {
      const definition = level.replace(" ", "-");
      await add(definition, "a", null, 20);
      await add(definition, "b", "one", 20);
      const isolation = `default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const own = openTestPool({ max: 1, options: `-c ${isolation}` });
      const { claim } = claimer(definition, own, { running: 3 });
      expect(await claim()).toHaveLength(3);
      expect(await claim()).toEqual([]);
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
