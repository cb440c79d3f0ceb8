import { allowAnonymous, createMemoryBackend, createOrderService, createService } from "async-request-reply";
import type { SynchronousTransactions } from "async-request-reply/ports";
import { createSqliteBackend } from "async-request-reply/sqlite";
import { expect, it } from "vitest";
import { claimOnRing } from "../../support/claims.js";
import type { OpenDatabase } from "../../support/sqlite/clients.js";
import { newDatabaseFile } from "../../support/sqlite/database-files.js";
import { ORDER, orders, TENANT, write } from "../../support/sqlite/transaction-stage.js";
import { describeStage } from "./per-test.js";
import { newSubmission } from "./submissions.js";

const KEYED = { tenant: TENANT, key: "cart-1" };
const OTHER = { ...ORDER, quantity: 2 };

describeStage("service.prepare on an SQLite database", {}, (stage, client) => {
  /** Runs steps in a transaction of the user. */
  function transact<Result>(database: OpenDatabase, steps: () => Result): Result {
    database.exec("begin immediate");
    try {
      const result = steps();
      database.exec("commit");
      return result;
    } catch (error) {
      database.exec("rollback");
      throw error;
    }
  }

  function thrownBy(steps: () => unknown) {
    try {
      steps();
    } catch (error) {
      return error;
    }
    return undefined;
  }

  it("records in the user's transaction: both are written or neither is", async () => {
    const { service, database } = stage;
    const prepared = await service.prepare(orders, ORDER, KEYED);
    const undone = transactUndone(() => {
      write(database, "paid");
      return prepared.record(database);
    });
    expect(undone).toMatchObject({ status: "pending", replayed: false });
    expect([await stage.read(undone.operationId), stage.effects()]).toEqual([undefined, []]);

    const done = transact(database, () => {
      write(database, "paid");
      return prepared.record(database);
    });
    // The same operation, because it was prepared once.
    expect(done).toEqual(undone);
    expect(await stage.read(done.operationId)).toMatchObject({ state: "pending", key: "cart-1" });
    expect([stage.effects(), stage.events]).toEqual([["paid"], []]);
  });

  function transactUndone<Result>(steps: () => Result): Result {
    stage.database.exec("begin immediate");
    const result = steps();
    stage.database.exec("rollback");
    return result;
  }

  it("returns the earlier operation for a key that is bound, and refuses another input", async () => {
    const { service, database } = stage;
    const operationId = await stage.submitted("cart-1");
    const same = await service.prepare(orders, ORDER, KEYED);
    const other = await service.prepare(orders, OTHER, KEYED);
    const results = transact(database, () => {
      const refusal = thrownBy(() => other.record(database));
      write(database, "still usable");
      return [same.record(database), refusal];
    });
    expect(results).toMatchObject([
      { operationId, status: "pending", replayed: true },
      { code: "IDEMPOTENCY_KEY_REUSED" },
    ]);
    expect(stage.effects()).toEqual(["still usable"]);
  });

  it("wakes up an idle worker when the transaction has committed, without a poll", async () => {
    const { service, database, backend } = stage;
    const prepared = await service.prepare(orders, ORDER, KEYED);
    const waiting = claimOnRing(backend);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const { operationId } = transact(database, () => prepared.record(database));
    expect(await waiting).toMatchObject([{ id: operationId }]);
  });

  it("works on another connection to the file, which has its own transaction", async () => {
    const { service, file } = stage;
    const own = file.connect();
    const prepared = await service.prepare(orders, ORDER, { ...KEYED, delayMs: 1_000 });
    const { operationId } = transact(own, () => {
      write(own, "paid");
      return prepared.record(own);
    });
    expect(await stage.read(operationId)).toMatchObject({ state: "pending" });
    expect(stage.effects()).toEqual(["paid"]);
  });

  it("refuses a database that is closed, whether it was used before or not", async () => {
    const prepared = await stage.service.prepare(orders, ORDER, KEYED);
    const [used, unused] = [stage.file.connect(), stage.file.connect()];
    transact(used, () => prepared.record(used));
    for (const database of [used, unused]) {
      database.close();
      expect(thrownBy(() => prepared.record(database))).toMatchObject({
        code: "INVALID_OPTION",
        detail:
          "The argument of `record` is a database that is closed. Pass an open one, on which you have begun a transaction.",
      });
    }
  });

  it("refuses a database without a transaction, another database, and what is not a database", async () => {
    const { service, database } = stage;
    const prepared = await service.prepare(orders, ORDER, KEYED);
    expect(thrownBy(() => prepared.record(database))).toMatchObject({
      code: "INVALID_OPTION",
      detail: expect.stringContaining("begin immediate"),
    });
    const [file, memory] = [newDatabaseFile(client), client.open(":memory:")];
    for (const [other, name] of [
      [file.connect(), file.path],
      [memory, "in memory"],
    ] as const) {
      const error = thrownBy(() => transact(other, () => prepared.record(other)));
      expect(error).toMatchObject({ code: "INVALID_OPTION", detail: expect.stringContaining(name) });
    }
    expect(thrownBy(() => prepared.record("orders.db" as never))).toMatchObject({ code: "INVALID_OPTION" });
    expect(await stage.backend.operations.list({ limit: 1 })).toEqual([]);
    memory.close();
    await file.remove();
  });

  it("works in memory, on the database of the back end only", async () => {
    const [database, other] = [client.open(":memory:"), client.open(":memory:")];
    const backend = createSqliteBackend({ database });
    const service = createOrderService({ backend, authorize: allowAnonymous(), observe: false });
    const prepared = await service.prepare(service.definitions[0], ORDER, KEYED);
    expect(thrownBy(() => transact(other, () => prepared.record(other)))).toMatchObject({
      code: "INVALID_OPTION",
    });
    const { operationId } = transact(database, () => prepared.record(database));
    expect(await backend.operations.get(operationId, TENANT)).toBeDefined();
    await service.close();
    for (const each of [database, other]) each.close();
  });

  it("says so if another connection is writing, and the transaction can be run again", async () => {
    const { service, database, file } = stage;
    const prepared = await service.prepare(orders, ORDER, KEYED);
    const other = file.connect();
    other.exec("begin immediate");
    database.exec("begin");
    expect(thrownBy(() => prepared.record(database))).toMatchObject({
      code: "STORE_UNAVAILABLE",
      context: { recorded: "no", eventDetail: expect.stringContaining("begin immediate") },
    });
    database.exec("rollback");
    other.exec("commit");
    expect(transact(database, () => prepared.record(database))).toMatchObject({ replayed: false });
  });

  it("changes nothing if it fails halfway, and the transaction stays usable", async () => {
    const { backend, database } = stage;
    // An input of this size has its own row, which is written after the row of the operation.
    const submission = newSubmission(1, { input: JSON.stringify("x".repeat(10_000)) });
    const prepared = await (backend.submissions.synchronous as SynchronousTransactions).prepare(submission);
    database.exec("create trigger refuse before insert on arr_inputs begin select raise(abort, 'no'); end");
    const error = transact(database, () => {
      write(database, "kept");
      return thrownBy(() => prepared.record(database));
    });
    expect(error).toMatchObject({ code: "INTERNAL" });
    expect(stage.effects()).toEqual(["kept"]);
    expect(await stage.backend.operations.list({ limit: 1 })).toEqual([]);
  });

  it("is refused by a service that creates the resource, by one without these transactions, and when closed", async () => {
    const { service, backend, database } = stage;
    const creating = createService({
      definitions: [orders],
      backend,
      authorize: allowAnonymous(),
      create: { orders: async () => ({ body: {} }) },
    });
    await expect(creating.prepare(orders, ORDER, KEYED)).rejects.toMatchObject({ code: "INVALID_OPTION" });
    const inMemory = createOrderService({ backend: createMemoryBackend(), authorize: allowAnonymous() });
    await expect(inMemory.prepare(orders, ORDER, KEYED as never)).rejects.toMatchObject({
      code: "NO_TRANSACTIONS",
    });
    const submitting = service.submit(orders, ORDER, { ...KEYED, tx: database } as never);
    await expect(submitting).rejects.toMatchObject({
      code: "NO_TRANSACTIONS",
      detail: expect.stringContaining("service.prepare"),
    });
    const prepared = await service.prepare(orders, ORDER, KEYED);
    await service.close();
    expect(thrownBy(() => transact(database, () => prepared.record(database)))).toMatchObject({
      code: "SERVICE_CLOSED",
    });
    await expect(service.prepare(orders, ORDER, KEYED)).rejects.toMatchObject({ code: "SERVICE_CLOSED" });
  });
});
