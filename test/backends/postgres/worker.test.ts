import { createOrderService, createService, createWorker, defineOrders } from "async-request-reply";
import { expect, it, onTestFinished } from "vitest";
import { effort } from "../../support/effort.js";
import { declareErrorTexts } from "../../support/error-texts.js";
import { declareJobRelease } from "../../support/job-release.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { declareRunFor } from "../../support/run-for.js";
import { declareRunUntilIdle } from "../../support/run-until-idle.js";
import { declareDeadlines } from "../../worker/deadlines.js";
import { openMigrated } from "./submissions.js";

/** Closes a back end after the test. */
function closing<Backend extends Opened>(backend: Backend): Backend {
  onTestFinished(() => backend.close());
  return backend;
}

await describePostgres("work with a deadline, on Postgres", (server) => {
  declareDeadlines(async () => {
    const { time, ...backend } = await server.openStopped();
    return { backend, pass: time.advance };
  });
});

await describePostgres("an error of a processor", (server) => declareErrorTexts(() => server.open()));

await describePostgres("runFor", (server) => {
  const cuts = effort(100, 100, 1_000);
  declareRunFor(async () => closing(await openMigrated(server)), { cuts });
});

await describePostgres("runUntilIdle", (server) => {
  declareRunUntilIdle(async () => closing(await openMigrated(server)));
});

await describePostgres("job.release", (server) => {
  declareJobRelease(async () => {
    const { time, ...backend } = closing(await server.openStopped());
    return { backend, pass: time.advance };
  });

  it("rolls the transaction back, and has no effect after the commit", async () => {
    const backend = closing(server.open());
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

await describePostgres("await using", (server) => {
  it("lets go of every connection of a back end that listened, also if a service has closed it", async () => {
    await (async () => {
      await using backend = server.open();
      await using service = createOrderService({ authorize: () => ({ id: "a" }), backend });
      await using worker = createWorker(service, { orders: () => "done" });
      await worker.start();
      const [orders] = service.definitions;
      const { operationId } = await service.submit(orders, { itemId: "pen", quantity: 1 }, { tenant: "a" });
      expect(await service.result(orders, operationId, { tenant: "a" })).toBe("done");
      expect(server.pool.totalCount).toBeGreaterThan(server.pool.idleCount);
    })();
    expect(server.pool.idleCount).toBe(server.pool.totalCount);
  });
});
