import { createPostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/ports/system-runtime.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";

const { newId, newToken } = createSystemRuntime();
const LEASE_MS = 60_000;
/** How another process looks at an operation that waits for its lane, without ending it. */
const LOOKS: Readonly<Record<string, (schema: string, id: string) => string>> = {
  "a sweep": (schema) => `select from ${schema}.take_due_v1('{orders}', 10)`,
  "the begin of an attempt": (schema, id) =>
    `select from ${schema}.begin_v1('{${id}}', '{other}', '{60000}', '{t}', '{}', '{}', '', '')`,
};

await describePostgres("the next operation of a lane", (server) => {
  let schema: string;
  let pool: Pool;
  let other: Pool;
  beforeAll(async () => {
    schema = server.newSchema();
    [pool, other] = [openPool(), openPool({ max: 1 })];
    await createPostgresBackend({ pool, schema }).migrate();
  });
  afterAll(() => Promise.all([pool.end(), other.end()]));

  it.each(Object.entries(LOOKS))(
    "has its turn although %s looked at it while another one ended",
    async (_, look) => {
      const { operations } = createPostgresBackend({ pool, schema, listen: false, migrate: "manual" });
      const lane = newToken();
      const created = { tenant: "a", definition: "orders", input: "1", retentionMs: 1_000, lane };
      const [first, next] = [newId(), newId()];
      const begin = (id: string, token: string) => operations.beginAttempt(id, { token, leaseMs: LEASE_MS });
      for (const id of [first, next]) await operations.create({ ...created, id });
      const token = newToken();
      expect((await begin(first, token)).outcome).toBe("begun");
      expect((await begin(next, newToken())).outcome).toBe("full");
      const behind = async () =>
        (await pool.query(`select behind from ${schema}.operations where id = $1`, [next])).rows;
      expect(await behind()).toEqual([{ behind: true }]);
      await pool.query(`update ${schema}.operations set announce_at = now() where id = $1`, [next]);

      // It looks while another operation of the lane ends, and ends its transaction late.
      const holding = await pool.connect();
      await holding.query("begin");
      await holding.query(`select pg_advisory_xact_lock(${schema}.lane_lock_v1('orders', 'a', $1))`, [lane]);
      const looking = await other.connect();
      await looking.query("begin");
      await looking.query(look(schema, next));
      await holding.query("commit");
      holding.release();
      await operations.settle({ operationId: first, token }, { to: "completed" });
      await looking.query("commit");
      looking.release();
      expect(await behind()).toEqual([{ behind: false }]);
    },
  );
});
