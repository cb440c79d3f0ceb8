import type { NewOperation } from "async-request-reply/ports";
import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import type { Pool, PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { stopTime } from "../../support/postgres/stop-time.js";
import { newId, newOperation, newToken } from "./submissions.js";
import { inTransaction } from "./user-transaction.js";

const LEASE_MS = 60_000;

await describePostgres("the next operation of a lane", (server) => {
  let schema: string;
  let pool: Pool;
  let backend: PostgresBackend<PoolClient>;
  let lane: string;
  beforeAll(async () => {
    schema = server.newSchema();
    pool = openPool();
    backend = createPostgresBackend({ pool, schema, listen: false });
    await backend.migrate();
  });
  beforeEach(() => {
    lane = newToken();
  });
  afterAll(() => pool.end());

  async function create(urgency = 3) {
    const id = newId();
    await backend.operations.create(newOperation({ id, lane, urgency, retentionMs: 1_000 }));
    return id;
  }

  async function claim(token = newToken(), slots = 5) {
    const definitions = [{ name: "orders", slots, leaseMs: LEASE_MS, suspects: 1, lanes: true }];
    const { begun, again } = await backend.operations.claim({ token, definitions, limit: slots });
    return { ids: begun.map(({ operation }) => operation.id), again };
  }

  /** Begins an operation, which is the next one. Returns how it completes. */
  async function begin(id: string) {
    const token = newToken();
    expect(await claim(token)).toEqual({ ids: [id], again: false });
    return () => backend.operations.settle({ operationId: id, token }, { to: "completed" });
  }

  const expire = (id: string) =>
    pool.query(`update ${schema}.operations set expires_at = now() where id = $1`, [id]);
  const purge = () => backend.submissions.purge({ limit: 9 });

  it.each(["read committed", "repeatable read", "serializable"] as const)(
    "has its turn after an end in a transaction that does not see it, with %s",
    async (isolation) => {
      const token = newToken();
      const first = await create();
      expect(await claim(token)).toEqual({ ids: [first], again: false });
      let next = "";
      const work = async (tx: PoolClient) => {
        await tx.query("select 1");
        next = await create();
        expect(await claim()).toEqual({ ids: [], again: false });
        return { to: "completed" } as const;
      };
      await backend.submissions.transactions?.settle({ operationId: first, token }, work, { isolation });
      expect(await claim()).toEqual({ ids: [next], again: false });
      await end(next);
    },
  );

  it("has its turn once another transaction has left the lane, for which no end waits", async () => {
    const [first, next] = [await create(), await create()];
    const complete = await begin(first);
    await inTransaction(pool, async (holding) => {
      await holding.query(`select pg_advisory_xact_lock(${schema}.lane_lock_v1('orders', 'a', $1))`, [lane]);
      await complete();
      expect(await claim()).toEqual({ ids: [], again: true });
    });
    expect(await claim()).toEqual({ ids: [next], again: false });
    await end(next);
  });

  it("has its turn although the one before it was to be deleted", async () => {
    const [first, next] = [await create(), await create()];
    const complete = await begin(first);
    await complete();
    await expire(first);
    expect(await purge()).toBe(0);
    expect((await claim()).ids).toEqual([next]);
    expect(await purge()).toBe(1);
    await end(next);
  });

  it("does not keep the one before it if there is no next one, without a claim", async () => {
    const only = await create();
    const complete = await begin(only);
    await complete();
    await expire(only);
    expect(await purge()).toBe(1);
  });

  /** How an operation gets into a lane only after others, which were recorded later, have run. */
  const late = {
    "its transaction commits late": async (operation: NewOperation) => {
      const tx = await pool.connect();
      await tx.query("begin");
      await backend.submissions.transactions?.recordIn(tx, { operation, fingerprint: "" });
      return async () => {
        await tx.query("commit");
        tx.release();
      };
    },
    "its resource is created late": async (operation: NewOperation) => {
      const token = newToken();
      await backend.operations.create(operation, { state: "preparing", token, leaseMs: LEASE_MS });
      const lease = { operationId: operation.id, token };
      return () => backend.operations.settle(lease, { to: "prepared", resource: "1" });
    },
    "its commit takes longer than that of others": async (operation: NewOperation) => async () => {
      await backend.operations.create(operation);
      const earlier = "created_at = created_at - interval '1 minute'";
      await pool.query(`update ${schema}.operations set ${earlier} where id = $1`, [operation.id]);
    },
  };

  describe.each(Object.entries(late))("is the first one, although %s", (_, record) => {
    it("and another one runs by then", async () => {
      const id = newId();
      const appear = await record(newOperation({ id, lane }));
      const [first, next] = [await create(), await create()];
      const complete = await begin(first);
      await appear();
      expect((await claim()).ids).toEqual([]);
      await complete();
      expect((await claim()).ids).toEqual([id]);
      await end(id);
      await end(next);
    });

    it("and is delayed", async () => {
      const id = newId();
      const appear = await record(newOperation({ id, lane, delayMs: 60_000 }));
      const [first, next] = [await create(), await create()];
      const complete = await begin(first);
      await appear();
      await complete();
      expect((await claim()).ids).toEqual([]);
      await end(id);
      await end(next);
    });
  });

  it("runs alone, although the one before it appears together with it", async () => {
    const complete = await begin(await create());
    await complete();
    const next = await create();
    const id = newId();
    const appear = await late["its commit takes longer than that of others"](newOperation({ id, lane }));
    await appear();
    const { ids } = await claim();
    expect(ids).toHaveLength(1);
    expect([id, next]).toEqual(expect.arrayContaining([...ids]));
    await end(id);
    await end(next);
  });

  const seenLater = Object.entries(late).slice(0, 2);
  it.each(seenLater)("is the first one, although %s and another one is more urgent", async (_, record) => {
    const id = newId();
    const appear = await record(newOperation({ id, lane }));
    const complete = await begin(await create());
    await complete();
    const next = await create(0);
    await appear();
    expect((await claim(newToken(), 1)).ids).toEqual([id]);
    await end(id);
    await end(next);
  });

  // Stops the time of the schema, so this is the last test.
  it("has its turn within 10 s after a crash has undone that it had it", async () => {
    const time = await stopTime((text) => pool.query(text), schema);
    const [first, next] = [await create(), await create()];
    const complete = await begin(first);
    await complete();
    const { rows } = await pool.query(`select lane_left from ${schema}.operations where id = $1`, [first]);
    expect((await claim()).ids).toEqual([next]);
    const before = { [first]: `lane_left = '${rows[0].lane_left}'`, [next]: "behind = true, token = null" };
    for (const [id, state] of Object.entries(before))
      await pool.query(`update ${schema}.operations set ${state} where id = $1`, [id]);
    expect((await claim()).ids).toEqual([]);
    await time.advance(10_001);
    expect((await claim()).ids).toEqual([next]);
  });

  async function end(id: string) {
    await backend.operations.requestCancel(id, "a");
    await pool.query(`update ${schema}.operations set due_at = now() where id = $1 and token is not null`, [
      id,
    ]);
    await claim();
  }
});
