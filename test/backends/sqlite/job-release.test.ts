import { createService, createWorker, defineOrders } from "async-request-reply";
import { afterEach, beforeEach, expect, it } from "vitest";
import { declareJobRelease } from "../../support/job-release.js";
import { describeClients } from "../../support/sqlite/clients.js";
import { type DatabaseFile, newDatabaseFile } from "../../support/sqlite/database-files.js";

describeClients("job.release on an SQLite file", (client) => {
  let file: DatabaseFile;
  beforeEach(() => {
    file = newDatabaseFile(client);
  });
  afterEach(() => file.remove());

  declareJobRelease((clock) => ({ backend: file.open({ runtime: { clock } }), pass: async () => {} }));

  it("rolls the transaction back, and has no effect after the commit", async () => {
    const backend = file.open();
    const orders = defineOrders();
    const service = createService({ definitions: [orders], backend, observe: false });
    const submit = () => service.submit(orders, { itemId: "a", quantity: 1 });
    const first = await submit();
    const within = createWorker(service, {
      orders: (_, job) => job.transaction(() => job.release()),
    });
    expect(await within.runUntilIdle()).toMatchObject({ released: 1, completed: 0 });
    expect(await backend.operations.get(first.operationId, "default")).toMatchObject({
      state: "pending",
      attempt: 0,
    });
    const second = await submit();
    const after = createWorker(service, {
      orders: async (_, job) => {
        await job.transaction(() => "done");
        return job.release();
      },
    });
    expect(await after.runUntilIdle()).toMatchObject({ released: 0, completed: 1 });
    expect((await backend.operations.get(second.operationId, "default"))?.state).toBe("completed");
  });
});
