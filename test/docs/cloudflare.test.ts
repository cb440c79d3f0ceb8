import { type Backend, createMemoryBackend, createOrderService } from "async-request-reply";
import { afterAll, describe, expect, it } from "vitest";
import { openWorkshop } from "./execute.js";
import { type WorkerModule, workerOnPostgres } from "./worker-on-postgres.js";

const workshop = openWorkshop();
afterAll(() => workshop.remove());

describe("the Worker on Postgres of the page about Cloudflare", () => {
  it("works after the reply and in a Cron Trigger", async () => {
    const { default: worker } = await workshop.load<WorkerModule>(workerOnPostgres());
    // A call closes its service, and the next one uses the same store.
    const backend: Backend = { ...createMemoryBackend(), close: async () => {} };
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => pending.push(work) };
    const order = new Request("https://shop.example/orders", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer demo-token" },
      body: JSON.stringify({ itemId: "pen", quantity: 1 }),
    });
    const reply = await worker.fetch(order, { backend }, context);
    const { operationId } = (await reply.json()) as { readonly operationId: string };
    await Promise.all(pending);
    expect(await backend.operations.get(operationId, "demo")).toMatchObject({ state: "completed" });

    const service = createOrderService({ backend, observe: false });
    const [orders] = service.definitions;
    const later = await service.submit(orders, { itemId: "pen", quantity: 1 }, { tenant: "acme" });
    worker.scheduled({}, { backend }, context);
    await Promise.all(pending);
    expect(await backend.operations.get(later.operationId, "acme")).toMatchObject({ state: "completed" });
  });
});
