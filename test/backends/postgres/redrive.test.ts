import { expect, it } from "vitest";
import { createSystemRuntime } from "../../../src/ports/system-runtime.js";
import { describePostgres, type Opened, openPool } from "./server.js";

const { newId, newToken } = createSystemRuntime();

async function failed({ operations }: Opened, retentionMs = 60_000): Promise<string> {
  const id = newId();
  await operations.create({ id, tenant: "a", definition: "d", input: "1", retentionMs });
  await operations.requestCancel(id, "a");
  return id;
}

await describePostgres("running a failed operation again in Postgres", (server) => {
  it("creates one successor for concurrent redrives from many processes", async () => {
    const backend = server.open();
    const id = await failed(backend);
    const pools = Array.from({ length: 10 }, () => openPool({ max: 1 }));
    const others = pools.map((pool) => server.open({ schema: backend.schema, pool }));
    const answers = await Promise.all(
      others.map(({ operations }) => operations.redrive?.(id, { id: newId(), onEndId: newId() })),
    );
    await Promise.all(pools.map((pool) => pool.end()));
    expect(answers.filter((answer) => answer?.outcome === "redriven" && answer.created)).toHaveLength(1);
    const successors = new Set(answers.map((answer) => answer?.outcome === "redriven" && answer.operationId));
    const [{ retriedBy } = {}] = (await backend.operations.getMany?.([id])) ?? [];
    expect([...successors]).toEqual([retriedBy]);
    expect(await backend.operations.list?.({ limit: 10 })).toHaveLength(2);
  });

  it("keeps the failed operation as long as the row of its successor, even if a user deletes that row", async () => {
    const backend = server.open();
    const id = await failed(backend, 0);
    const successor = { id: newId(), onEndId: newId() };
    await backend.operations.redrive?.(id, successor);
    expect(await backend.submissions.purge({ limit: 10 })).toBe(0);
    await server.pool.query(`delete from ${backend.schema}.operations where id = $1`, [successor.id]);
    await server.pool.query(`update ${backend.schema}.operations set expires_at = now() where id = $1`, [id]);
    expect(await backend.submissions.purge({ limit: 10 })).toBe(1);
  });

  it("deletes both, one after the other, once the successor has expired", async () => {
    const backend = server.open();
    const id = await failed(backend, 0);
    const successor = { id: newId(), onEndId: newId() };
    await backend.operations.redrive?.(id, successor);
    const lease = { token: newToken(), operationId: successor.id };
    await backend.operations.beginAttempt(successor.id, { ...lease, leaseMs: 60_000 });
    await backend.operations.settle(lease, { to: "completed" });
    expect(await backend.submissions.purge({ limit: 10 })).toBe(1);
    expect((await backend.operations.getMany?.([id, successor.id]))?.map((each) => each.id)).toEqual([id]);
    expect(await backend.submissions.purge({ limit: 10 })).toBe(1);
  });
});
