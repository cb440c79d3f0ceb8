import { createService, createWorker, defineOrders } from "async-request-reply";
import { afterEach, expect, it } from "vitest";
import { declareJobRelease } from "../../support/job-release.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";

await describePostgres("job.release", (server) => {
  const opened: Opened[] = [];
  afterEach(async () => {
    for (const backend of opened.splice(0)) await backend.close();
  });

  declareJobRelease(async () => {
    const { time, ...backend } = await server.openStopped();
    opened.push(backend);
    return { backend, pass: time.advance };
  });

  it("rolls the transaction back, and has no effect after the commit", async () => {
    const backend = server.open();
    opened.push(backend);
    const orders = defineOrders();
    const service = createService({ definitions: [orders], backend, observe: false });
    const submit = () => service.submit(orders, { itemId: "a", quantity: 1 });
    const first = await submit();
    const within = createWorker(service, {
      orders: (_, job) => job.transaction(async () => job.release()),
    });
    expect(await within.runUntilIdle()).toMatchObject({ released: 1, completed: 0 });
    expect(await backend.operations.get(first.operationId, "default")).toMatchObject({
      state: "pending",
      attempt: 0,
    });
    const second = await submit();
    const after = createWorker(service, {
      orders: async (_, job) => {
        await job.transaction(async () => "done");
        return job.release();
      },
    });
    expect(await after.runUntilIdle()).toMatchObject({ released: 0, completed: 1 });
    expect((await backend.operations.get(second.operationId, "default"))?.state).toBe("completed");
  });
});
