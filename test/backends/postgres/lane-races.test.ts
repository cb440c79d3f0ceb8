import { createPostgresBackend, type PostgresBackend } from "async-request-reply/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { plant } from "./mutants.js";
import { newId, newOperation, newToken } from "./submissions.js";
import { inTransaction } from "./user-transaction.js";

const LOCK = "pg_advisory_xact_lock(8, 15)";

await describePostgres("a claim that looks at a lane", (server) => {
  let schema: string;
  let pool: Pool;
  let backend: PostgresBackend<unknown>;
  beforeAll(async () => {
    schema = server.newSchema();
    pool = openPool();
    backend = createPostgresBackend({ pool, schema, listen: false });
    await backend.migrate();
    // Both wait here after they have read the lane.
    await plant({ pool }, `${schema}.promote_v1`, [["begin\n", `begin\n  perform ${LOCK};\n`]]);
    const found = "if is_held and lane.token is not null and lane.due_at <= at then";
    await plant({ pool }, `${schema}.has_turn_v1`, [[found, `${found}\n    perform ${LOCK};`]]);
  });
  afterAll(() => pool.end());

  async function create(lane: string) {
    const id = newId();
    await backend.operations.create(newOperation({ id, lane }));
    return id;
  }

  async function claim(token: string, { leaseMs = 60_000, suspects = 1 } = {}) {
    const definitions = [{ name: "orders", slots: 5, leaseMs, suspects, lanes: true }];
    const { begun } = await backend.operations.claim({ token, definitions, limit: 5 });
    return begun.map(({ operation }) => operation.id);
  }

  /** Claims, and does something else between the look of the claim at the lane and what follows from it. */
  async function claimDuring(meanwhile: () => Promise<unknown>, suspects = 1) {
    return inTransaction(pool, async (holding) => {
      await holding.query(`select ${LOCK}`);
      const claimed = claim(newToken(), { suspects });
      await vi.waitUntil(async () => {
        const { rows } = await pool.query(
          "select from pg_locks where objid = 15 and classid = 8 and not granted",
        );
        return rows.length === 1;
      });
      await meanwhile();
      await holding.query("rollback");
      return claimed;
    });
  }

  it("gives no turn to an operation that is cancelled meanwhile", async () => {
    const lane = newToken();
    const [first, next, last] = [await create(lane), await create(lane), await create(lane)];
    const token = newToken();
    expect(await claim(token)).toEqual([first]);
    await backend.operations.settle({ operationId: first, token }, { to: "completed" });
    await claimDuring(() => backend.operations.requestCancel(next, "a"));
    expect(await claim(newToken())).toEqual([last]);
    expect(await backend.operations.get(next, "a")).toMatchObject({ state: "failed", attempt: 0 });
  });

  it("takes no lease away that is renewed meanwhile", async () => {
    const lane = newToken();
    const [first] = [await create(lane), await create(lane)];
    const token = newToken();
    expect(await claim(token, { leaseMs: 300 })).toEqual([first]);
    await vi.waitUntil(async () => {
      const { rows } = await pool.query(`select from ${schema}.operations where id = $1 and due_at < now()`, [
        first,
      ]);
      return rows.length === 1;
    });
    await create(lane);
    const lease = { operationId: first, token };
    // A suspect would lock the operation, so that it cannot be renewed.
    await claimDuring(() => backend.operations.renew(lease, { leaseMs: 60_000 }), 0);
    expect(await backend.operations.settle(lease, { to: "completed" })).toMatchObject({ outcome: "settled" });
  });
});
