import type { FollowUp, NewOperation } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOne, claimOnRing } from "../../support/claims.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";

const { newId, newToken } = createSystemRuntime();
const POLL_MS = 50;

function followedBy(onEnd: FollowUp): NewOperation {
  return { id: newId(), tenant: "a", definition: "orders", input: "1", retentionMs: 60_000, onEnd };
}

function webhook(): FollowUp {
  return { id: newId(), definition: "webhooks", input: "2", retentionMs: 60_000 };
}

const ends: Readonly<Record<string, (backend: Opened, operation: NewOperation) => Promise<unknown>>> = {
  "is settled": async ({ operations }, operation) => {
    await operations.create(operation);
    const lease = { operationId: operation.id, token: newToken() };
    await claimOne(operations, operation.id, { ...lease, leaseMs: 60_000 });
    await operations.settle(lease, { to: "completed" });
  },
  "is settled in a transaction of the user": async ({ operations, submissions }, operation) => {
    await operations.create(operation);
    const lease = { operationId: operation.id, token: newToken() };
    await claimOne(operations, operation.id, { ...lease, leaseMs: 60_000 });
    await submissions.transactions?.settle(lease, async () => ({ to: "failed", error: "{}" }));
  },
  "is cancelled": async ({ operations }, operation) => {
    await operations.create(operation);
    await operations.requestCancel(operation.id, operation.tenant);
  },
  "is created as failed": ({ operations }, operation) =>
    operations.create(operation, { state: "failed", error: "{}" }),
};

await describePostgres("the follow-up of an operation in Postgres", (server) => {
  it.each(Object.entries(ends))(
    "is found by a waiting worker that polls, when the operation %s",
    async (_, end) => {
      let looks = 0;
      const pool = interceptStatements(server.pool, (statement, run) => {
        if (/^select .*claim_v1/.test(statement.text)) looks += 1;
        return run();
      });
      const here = server.open();
      await here.migrate();
      const there = createPostgresBackend({
        pool,
        schema: here.schema,
        listen: false,
        pollIntervalMs: POLL_MS,
      });
      const claimed = claimOnRing(there, { definitions: ["webhooks"] });
      await expect.poll(() => looks).toBeGreaterThan(1);
      const onEnd = webhook();
      await end(here, followedBy(onEnd));
      expect(await claimed).toMatchObject([{ id: onEnd.id }]);
      await there.close();
    },
  );

  it("is rolled back with a transaction that settles and does not commit", async () => {
    const backend = server.open();
    const onEnd = webhook();
    const operation = followedBy(onEnd);
    await backend.operations.create(operation);
    const lease = { operationId: operation.id, token: newToken() };
    await claimOne(backend.operations, operation.id, { ...lease, leaseMs: 60_000 });
    const tx = await server.pool.connect();
    await tx.query("begin");
    const text = `update ${backend.schema}.operations set state = 'completed', settled_at = now() where id = $1`;
    await tx.query(text, [operation.id]);
    const created = await tx.query(`select from ${backend.schema}.operations where id = $1`, [onEnd.id]);
    expect(created.rows).toHaveLength(1);
    await tx.query("rollback");
    tx.release();
    expect(await backend.operations.getMany([onEnd.id])).toEqual([]);
  });
});
