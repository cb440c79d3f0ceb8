import {
  allowAnonymous,
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
  type ServiceEvent,
} from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { createTransactionStage } from "../support/sqlite/transaction-stage.js";

const orders = defineOrders();
const ORDER = { itemId: "pen", quantity: 2 };
const tenant = "acme";

function open() {
  const events: ServiceEvent[] = [];
  const allowed: unknown[] = [];
  const backend = createMemoryBackend();
  const service = createService({
    definitions: [orders],
    backend,
    authorize: allowAnonymous(),
    webhooks: createWebhooks({
      endpoint: () => undefined,
      allow: (_, principal) => allowed.push(principal) > 0,
    }),
    observe: (event) => events.push(event),
  });
  return { service, backend, events, allowed };
}

describe("the option `principal` of a submission in process", () => {
  it("names who submits, for the work and the events", async () => {
    const { service, backend, events } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant, principal: "ann" });
    expect(await backend.operations.get(operationId, tenant)).toMatchObject({ principal: "ann" });
    const principals: unknown[] = [];
    await createWorker(service, { orders: (_, job) => void principals.push(job.principal) }).runUntilIdle();
    expect(principals).toEqual(["ann"]);
    expect(events.slice(0, 3)).toMatchObject(Array(3).fill({ operationId, tenant, principal: "ann" }));
  });

  it("is absent by default", async () => {
    const { service, backend, events } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant });
    expect(await backend.operations.get(operationId, tenant)).not.toHaveProperty("principal");
    const principals: unknown[] = [];
    await createWorker(service, { orders: (_, job) => void principals.push(job.principal) }).runUntilIdle();
    expect(principals).toEqual([undefined]);
    for (const event of events) expect(event).not.toHaveProperty("principal");
  });

  it("keeps that of the first submission with a key", async () => {
    const { service, backend, events } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant, key: "k" });
    await service.submit(orders, ORDER, { tenant, key: "k", principal: "bob" });
    expect(await backend.operations.get(operationId, tenant)).not.toHaveProperty("principal");
    expect(events[1]).toMatchObject({ event: "operation.replayed", principal: "bob" });
  });

  it("is the id that `allow` of the webhooks gets, instead of the tenant", async () => {
    const { service, allowed } = open();
    const webhookUrl = "https://hooks.example/";
    await service.submit(orders, ORDER, { tenant, principal: "ann", webhookUrl });
    await service.submit(orders, ORDER, { tenant, webhookUrl });
    expect(allowed).toEqual([
      { id: "ann", tenant },
      { id: tenant, tenant },
    ]);
  });

  it.each([
    ["", "has 0 characters"],
    ["a".repeat(256), "has 256 characters"],
    ["a\0", "contains NUL"],
    ["\ud800", "contains a lone surrogate"],
    [7, "is a number"],
  ])("is refused if it is %j", async (principal, problem) => {
    const { service, backend } = open();
    const submitting = service.submit(orders, ORDER, { tenant, principal: principal as never });
    const detail =
      `Option \`principal\` ${problem}. ` +
      "The id of a principal is a string of 1 to 255 UTF-16 code units, well formed and without NUL.";
    await expect(submitting).rejects.toMatchObject({ code: "INVALID_OPTION", detail });
    expect(await backend.operations.list({ limit: 1 })).toEqual([]);
  });

  it("may have 255 characters", async () => {
    const { service, backend } = open();
    const principal = `${"\u{1f600}".repeat(127)}a`;
    const { operationId } = await service.submit(orders, ORDER, { tenant, principal });
    expect(await backend.operations.get(operationId, tenant)).toMatchObject({ principal });
  });
});

describeClients("the option `principal` of service.prepare", (client) => {
  it("is recorded in the user's transaction", async () => {
    const { service, database, backend, file } = createTransactionStage(client);
    try {
      const options = { tenant: "tenant-1", principal: "ann" };
      const prepared = await service.prepare(orders, ORDER, options);
      database.exec("begin immediate");
      const { operationId } = prepared.record(database);
      database.exec("commit");
      expect(await backend.operations.get(operationId, "tenant-1")).toMatchObject({ principal: "ann" });
    } finally {
      await backend.close();
      await file.remove();
    }
  });
});
