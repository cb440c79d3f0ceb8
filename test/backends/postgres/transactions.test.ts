import type { NewOperation, Submission } from "async-request-reply/ports";
import { expect, it, vi } from "vitest";
import { createSystemRuntime } from "../../../src/platform/system-runtime.js";
import { claimOne } from "../../support/claims.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";

const { newId, newToken } = createSystemRuntime();

function submission(members: Partial<NewOperation> = {}): Submission {
  const operation = {
    id: newId(),
    tenant: "a",
    definition: "orders",
    key: "k",
    input: "1",
    retentionMs: 60_000,
    ...members,
  };
  return { operation, fingerprint: "1:a" };
}

await describePostgres("transactions of the user", (server) => {
  async function opened() {
    const backend: Opened = server.open();
    await backend.migrate();
    await server.pool.query(
      `create table if not exists ${backend.schema}.effects (operation_id uuid primary key)`,
    );
    const { transactions } = backend.submissions;
    if (transactions === undefined) throw new Error("expected the back end to share its transactions");
    const effects = async (): Promise<number> =>
      (await server.pool.query(`select from ${backend.schema}.effects`)).rowCount ?? 0;
    const insert = `insert into ${backend.schema}.effects values ($1)`;
    return { backend, transactions, effects, insert };
  }

  it("records an operation with its resource and the user's writes in one commit", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const given = submission();
    const { id } = given.operation;
    const create = async (tx: {
      query(text: string, values: unknown[]): Promise<unknown>;
    }): Promise<string> => {
      await tx.query(insert, [id]);
      return '{"body":1}';
    };
    expect(await transactions.record(given, create)).toEqual({ outcome: "created" });
    expect(await backend.operations.get(id, "a")).toMatchObject({ state: "pending", resource: '{"body":1}' });
    // Repeated after a lost answer, and by a duplicate: nothing is created twice.
    expect(await transactions.record(given, create)).toEqual({ outcome: "created" });
    const duplicate = await transactions.record(submission(), create);
    expect(duplicate).toMatchObject({ outcome: "exists", operation: { id, resource: '{"body":1}' } });
    expect(await effects()).toBe(1);
  });

  it("records nothing if the user's function throws, and rejects with that error", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const given = submission();
    const failure = new Error("out of stock");
    const recording = transactions.record(given, async (tx) => {
      await tx.query(insert, [given.operation.id]);
      throw failure;
    });
    await expect(recording).rejects.toBe(failure);
    expect(await effects()).toBe(0);
    expect(await backend.submissions.record(submission())).toEqual({ outcome: "created" });
  });

  it("rejects a duplicate while the first creation is in progress", async () => {
    const { transactions, backend } = await opened();
    let finish: (resource: string) => void = () => {};
    const held = new Promise<string>((resolve) => {
      finish = resolve;
    });
    let reach: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const first = transactions.record(submission(), () => {
      reach();
      return held;
    });
    await reached;
    await expect(transactions.record(submission(), async () => "1")).rejects.toMatchObject({
      code: "CREATION_IN_PROGRESS",
    });
    await expect(backend.submissions.record(submission())).rejects.toMatchObject({
      code: "SUBMISSION_IN_PROGRESS",
    });
    finish('{"body":1}');
    expect(await first).toEqual({ outcome: "created" });
    expect(await backend.submissions.record(submission())).toMatchObject({ outcome: "exists" });
  });

  it("rejects a creation while a submission in an open transaction holds the key", async () => {
    const { transactions } = await opened();
    const tx = await server.pool.connect();
    try {
      await tx.query("begin");
      await transactions.recordIn(tx, submission());
      const held = { code: "SUBMISSION_IN_PROGRESS" };
      await expect(transactions.record(submission(), async () => "1")).rejects.toMatchObject(held);
    } finally {
      await tx.query("rollback");
      tx.release();
    }
    expect(await transactions.record(submission(), async () => "1")).toEqual({ outcome: "created" });
  });

  it("checks whether the key is held before it waits for the row of the key", async () => {
    const { transactions, backend } = await opened();
    const client = await server.pool.connect();
    try {
      await client.query("begin");
      await client.query(`select ${backend.schema}.lock_key_v1('a', 'orders', 'k', 60000)`);
      const recording = transactions.record(submission(), async () => "1");
      await expect(recording).rejects.toMatchObject({ code: "CREATION_IN_PROGRESS" });
      expect(await transactions.record(submission({ key: "other" }), async () => "1")).toEqual({
        outcome: "created",
      });
    } finally {
      await client.query("rollback");
      client.release();
    }
  });

  it("settles together with the user's writes, and rolls them back if the lease is lost", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const { operation } = submission();
    await backend.operations.create(operation);
    const lease = { operationId: operation.id, token: newToken() };
    await claimOne(backend.operations, operation.id, { ...lease, leaseMs: 60_000 });
    const work = (token: string) =>
      transactions.settle({ ...lease, token }, async (tx) => {
        await tx.query(insert, [operation.id]);
        return { to: "completed", result: "2" };
      });
    expect(await work(newToken())).toEqual({ outcome: "lost" });
    expect(await effects()).toBe(0);
    expect(await work(lease.token)).toEqual({ outcome: "settled", state: "completed" });
    expect(await effects()).toBe(1);
    expect(await backend.operations.get(operation.id, "a")).toMatchObject({
      state: "completed",
      result: "2",
    });
  });

  it("never writes twice for one lease, however the first outcome became known", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const { operation } = submission();
    await backend.operations.create(operation);
    const lease = { operationId: operation.id, token: newToken() };
    await claimOne(backend.operations, operation.id, { ...lease, leaseMs: 60_000 });
    const work = () =>
      transactions.settle(lease, async (tx) => {
        await tx.query(insert, [newId()]);
        return { to: "completed" };
      });
    const settled = await Promise.all([work(), work(), work()]);
    expect(settled.map(({ outcome }) => outcome).sort()).toEqual(["lost", "lost", "settled"]);
    expect(await work()).toEqual({ outcome: "lost" });
    expect(await effects()).toBe(1);
    // A settle without a transaction may be repeated.
    const repeated = await backend.operations.settle(lease, { to: "completed" });
    expect(repeated).toEqual({ outcome: "settled", state: "completed" });
  });

  it("does not wait for the user's function once the signal is aborted, and closes its connection", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const { operation } = submission();
    await backend.operations.create(operation);
    const lease = { operationId: operation.id, token: newToken() };
    await claimOne(backend.operations, operation.id, { ...lease, leaseMs: 60_000 });
    const aborting = new AbortController();
    const reason = new Error("enough");
    let late: Promise<unknown> | undefined;
    const settling = transactions.settle(
      lease,
      async (tx) => {
        await tx.query(insert, [newId()]);
        aborting.abort(reason);
        await new Promise((resolve) => setImmediate(resolve));
        late = tx.query(insert, [newId()]).catch((error: unknown) => error);
        return { to: "completed" };
      },
      { signal: aborting.signal },
    );
    await expect(settling).rejects.toBe(reason);
    await vi.waitUntil(() => late !== undefined);
    expect(await late).toBeInstanceOf(Error);
    expect(await effects()).toBe(0);
  });
});
