import { createOrderService, createWorker } from "async-request-reply";
import { expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";

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
