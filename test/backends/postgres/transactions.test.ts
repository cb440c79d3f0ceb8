import type { PoolClient } from "pg";
import { expect, it, vi } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { signalOf } from "../../support/worker-stage.js";
import { begun, newId, newSubmission, newToken, openMigrated } from "./submissions.js";
import { inTransaction } from "./user-transaction.js";

const submission = (key = "k") => newSubmission({ key });

await describePostgres("transactions of the user", (server) => {
  async function opened() {
    const backend = await openMigrated(server);
    await server.pool.query(
      `create table if not exists ${backend.schema}.effects (operation_id uuid primary key)`,
    );
    const { transactions } = backend.submissions;
    if (transactions === undefined) throw new Error("expected the back end to share its transactions");
    const effects = async () =>
      (await server.pool.query(`select from ${backend.schema}.effects`)).rowCount ?? 0;
    const insert = `insert into ${backend.schema}.effects values ($1)`;
    return { backend, transactions, effects, insert };
  }

  it("records an operation with its resource and the user's writes in one commit", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const given = submission();
    const { id } = given.operation;
    const create = async (tx: PoolClient) => {
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
    const [reached, held] = [signalOf(), signalOf<string>()];
    const first = transactions.record(submission(), () => {
      reached.resolve();
      return held.promise;
    });
    await reached.promise;
    await expect(transactions.record(submission(), async () => "1")).rejects.toMatchObject({
      code: "CREATION_IN_PROGRESS",
    });
    await expect(backend.submissions.record(submission())).rejects.toMatchObject({
      code: "SUBMISSION_IN_PROGRESS",
    });
    held.resolve('{"body":1}');
    expect(await first).toEqual({ outcome: "created" });
    expect(await backend.submissions.record(submission())).toMatchObject({ outcome: "exists" });
  });

  it("rejects a creation while a submission in an open transaction holds the key", async () => {
    const { transactions } = await opened();
    await inTransaction(server.pool, async (tx) => {
      await transactions.recordIn(tx, submission());
      const held = { code: "SUBMISSION_IN_PROGRESS" };
      await expect(transactions.record(submission(), async () => "1")).rejects.toMatchObject(held);
    });
    expect(await transactions.record(submission(), async () => "1")).toEqual({ outcome: "created" });
  });

  it("checks whether the key is held before it waits for the row of the key", async () => {
    const { transactions, backend } = await opened();
    await inTransaction(server.pool, async (tx) => {
      await tx.query(`select ${backend.schema}.lock_key_v1('a', 'orders', 'k', 60000)`);
      const recording = transactions.record(submission(), async () => "1");
      await expect(recording).rejects.toMatchObject({ code: "CREATION_IN_PROGRESS" });
      const other = await transactions.record(submission("other"), async () => "1");
      expect(other).toEqual({ outcome: "created" });
    });
  });

  it("settles together with the user's writes, and rolls them back if the lease is lost", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const lease = await begun(backend);
    const work = (token: string) =>
      transactions.settle({ ...lease, token }, async (tx) => {
        await tx.query(insert, [lease.operationId]);
        return { to: "completed", result: "2" };
      });
    expect(await work(newToken())).toEqual({ outcome: "lost" });
    expect(await effects()).toBe(0);
    expect(await work(lease.token)).toEqual({ outcome: "settled", state: "completed" });
    expect(await effects()).toBe(1);
    const operation = await backend.operations.get(lease.operationId, "a");
    expect(operation).toMatchObject({ state: "completed", result: "2" });
  });

  it("never writes twice for one lease, however the first outcome became known", async () => {
    const { backend, transactions, effects, insert } = await opened();
    const lease = await begun(backend);
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
    const lease = await begun(backend);
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
