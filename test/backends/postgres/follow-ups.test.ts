import type { FollowUp } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { claimOnRing } from "../../support/claims.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { CLAIM, countStatements } from "./intercepted-statements.js";
import { begun, newId, newOperation } from "./submissions.js";
import { inTransaction } from "./user-transaction.js";

const POLL_MS = 50;

function webhook() {
  return { id: newId(), definition: "webhooks", input: "2", retentionMs: 60_000 };
}

const ends: Readonly<Record<string, (backend: Opened, onEnd: FollowUp) => Promise<unknown>>> = {
  "is settled": async (backend, onEnd) =>
    backend.operations.settle(await begun(backend, { onEnd }), { to: "completed" }),
  "is settled in a transaction of the user": async (backend, onEnd) =>
    backend.submissions.transactions?.settle(await begun(backend, { onEnd }), async () => ({
      to: "failed",
      error: "{}",
    })),
  "is cancelled": async ({ operations }, onEnd) => {
    const operation = newOperation({ onEnd });
    await operations.create(operation);
    await operations.requestCancel(operation.id, operation.tenant);
  },
  "is created as failed": ({ operations }, onEnd) =>
    operations.create(newOperation({ onEnd }), { state: "failed", error: "{}" }),
};

await describePostgres("the follow-up of an operation in Postgres", (server) => {
  it.each(Object.entries(ends))(
    "is found by a waiting worker that polls, when the operation %s",
    async (_, end) => {
      const { pool, seen } = countStatements(server.pool, CLAIM);
      const here = server.open();
      await here.migrate();
      const there = createPostgresBackend({
        pool,
        schema: here.schema,
        listen: false,
        pollIntervalMs: POLL_MS,
      });
      const claimed = claimOnRing(there, { definitions: ["webhooks"] });
      await expect.poll(() => seen.count).toBeGreaterThan(1);
      const onEnd = webhook();
      await end(here, onEnd);
      expect(await claimed).toMatchObject([{ id: onEnd.id }]);
      await there.close();
    },
  );

  it("is rolled back with a transaction that settles and does not commit", async () => {
    const backend = server.open();
    const onEnd = webhook();
    const { operationId } = await begun(backend, { onEnd });
    await inTransaction(server.pool, async (tx) => {
      const text = `update ${backend.schema}.operations set state = 'completed', settled_at = now() where id = $1`;
      await tx.query(text, [operationId]);
      const created = await tx.query(`select from ${backend.schema}.operations where id = $1`, [onEnd.id]);
      expect(created.rows).toHaveLength(1);
    });
    expect(await backend.operations.getMany([onEnd.id])).toEqual([]);
  });
});
