import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimOnce } from "../../support/claims.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { type Looks, looksOf } from "./looks.js";

const SLOTS = 50;
/** Operations that wait: half of them of one tenant, the others of tenants with ten each. */
const WAITING = 1_000_000;
const TENANTS = WAITING / 2 / 10;
/** Blocks of the table and its indexes that a claim of 50 operations may read: it finds, locks and changes each of them. */
const MOST_BLOCKS = 60 * SLOTS;

await describePostgres(`turns among ${WAITING} waiting operations`, (server) => {
  let schema: string;
  let pool: Pool;
  beforeAll(async () => {
    schema = server.newSchema();
    pool = openPool({ max: 1, options: "-c synchronous_commit=off" });
    await createPostgresBackend({ pool, schema }).migrate();
    const table = `${schema}.operations`;
    await pool.query(`alter table ${table} set unlogged`);
    const add = (definition: string, tenant: string, count: number, dueAt: string) =>
      pool.query(`
        insert into ${table} (id, tenant, definition, state, input, retention_ms, created_at, due_at)
        select gen_random_uuid(), ${tenant}, '${definition}', 'pending', '1', 0, now(), ${dueAt}
        from generate_series(1, ${count}) n`);
    await add("orders", "'flood'", WAITING / 2, "now() - interval '1 hour' + n * interval '1 ms'");
    await add("orders", `'tenant ' || n % ${TENANTS}`, WAITING / 2, "now() - interval '1 minute'");
    await add("later", "'tenant ' || n", 100_000, "now() + interval '1 hour'");
    await add("later", "'flood'", 10 * SLOTS, "now() - interval '1 minute'");
    await pool.query(`vacuum analyze ${table}`);
  }, 300_000);
  afterAll(() => pool.end());

  describe.each([
    { state: "without statistics", finished: 0, analyze: false },
    { state: "that was analyzed while no operation waited", finished: 50_000, analyze: true },
  ])("in a table $state", ({ finished, analyze }) => {
    let fresh: string;
    beforeAll(async () => {
      fresh = server.newSchema();
      await createPostgresBackend({ pool, schema: fresh }).migrate();
      const table = `${fresh}.operations`;
      await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
      await pool.query(`
        insert into ${table} (id, tenant, definition, state, input, retention_ms, created_at, settled_at)
        select gen_random_uuid(), 'tenant ' || n % 2000, definition, 'completed', '1', 0, now(), now()
        from generate_series(1, ${finished}) n, unnest(array['later', 'orders']) definition`);
      if (analyze) await pool.query(`vacuum analyze ${table}`);
      for (const [definition, tenant, dueAt] of [
        ["later", "'tenant ' || n", "now() + interval '1 hour'"],
        ["later", "'flood'", "now() - interval '1 minute'"],
        ["orders", "'tenant ' || n % 2000", "now() - interval '1 minute'"],
      ])
        await pool.query(`
          insert into ${table} (id, tenant, definition, state, input, retention_ms, created_at, due_at)
          select gen_random_uuid(), ${tenant}, '${definition}', 'pending', '1', 0, now(), ${dueAt}
          from generate_series(1, 20000) n`);
    });

    it("finds due work beside later work, and looks at few of them", () => expectOnlyFlood(fresh));

    it("gives each tenant a turn, and reads only what it claims", () => expectTurns(fresh));
  });

  async function tenantsOf(definition: string, schemaOf = schema) {
    const backend = createPostgresBackend({ pool, schema: schemaOf, listen: false, migrate: "manual" });
    const claim = async () => {
      const begun = await claimOnce(backend, { definitions: [definition], limit: SLOTS });
      return begun.map(({ tenant }) => tenant);
    };
    await claim();
    let tenants: readonly string[] = [];
    const looks = await looksOf(pool, schemaOf, async () => {
      tenants = await claim();
    });
    return { tenants, looks };
  }

  async function expectTurns(schemaOf?: string): Promise<Looks> {
    const { tenants, looks } = await tenantsOf("orders", schemaOf);
    expect(new Set(tenants).size).toBe(SLOTS);
    expect(looks.blocks).toBeLessThan(MOST_BLOCKS);
    return looks;
  }

  async function expectOnlyFlood(schemaOf?: string): Promise<Looks> {
    const { tenants, looks } = await tenantsOf("later", schemaOf);
    expect(tenants).toEqual(Array<string>(SLOTS).fill("flood"));
    expect(looks.blocks).toBeLessThan(MOST_BLOCKS);
    return looks;
  }

  it("gives each tenant a turn, and reads only what it claims", async () => {
    const { scans, blocks } = await expectTurns();
    console.log(`a claim of ${SLOTS} operations of as many tenants reads ${blocks} blocks`);
    expect(scans).toBe(0);
  });

  it("finds due work beside 100,000 tenants with later work, and looks at few of them", async () => {
    const { scans, blocks } = await expectOnlyFlood();
    console.log(`a claim of ${SLOTS} operations beside later ones reads ${blocks} blocks`);
    expect(scans).toBe(0);
  });
});
