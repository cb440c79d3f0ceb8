import { allowAnonymous, createMemoryBackend, createService, defineOrders } from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";
import { describe, expect, it } from "vitest";
import { describeClients } from "../support/sqlite/clients.js";
import { createTransactionStage } from "../support/sqlite/transaction-stage.js";

const orders = defineOrders({ urgency: 5, clientUrgency: { from: 5, to: 7 } });
const ORDER = { itemId: "pen", quantity: 2 };
const tenant = "acme";

function open() {
  const backend = createMemoryBackend();
  const service = createService({
    definitions: [orders],
    backend,
    authorize: allowAnonymous(),
    webhooks: createWebhooks({ endpoint: () => undefined }),
    observe: false,
  });
  return {
    service,
    stored: async (id: string) => (await backend.operations.getMany([id]))[0],
  };
}

describe("the option `urgency` of a submission in process", () => {
  it("is any urgency, also one that clients cannot choose", async () => {
    const { service, stored } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant, urgency: 0 });
    expect(await stored(operationId)).toMatchObject({ urgency: 0 });
  });

  it("is that of the definition by default", async () => {
    const { service, stored } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant });
    expect(await stored(operationId)).toMatchObject({ urgency: 5 });
  });

  it("can be the default of all definitions", async () => {
    const { service, stored } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant, urgency: 3 });
    expect((await stored(operationId))?.urgency ?? 3).toBe(3);
  });

  it("keeps that of the first submission with a key", async () => {
    const { service, stored } = open();
    const first = await service.submit(orders, ORDER, { tenant, key: "k", urgency: 6 });
    const second = await service.submit(orders, ORDER, { tenant, key: "k", urgency: 0 });
    expect(second).toMatchObject({ operationId: first.operationId, replayed: true });
    expect(await stored(first.operationId)).toMatchObject({ urgency: 6 });
  });

  it("is not that of the webhook that announces the end", async () => {
    const { service, stored } = open();
    const { operationId } = await service.submit(orders, ORDER, { tenant, urgency: 0 });
    await service.cancel(orders, operationId, { tenant });
    const delivery = await stored((await stored(operationId))?.onEnd?.id ?? "");
    expect(delivery?.definition).toBe("webhook.delivery");
    expect(delivery?.urgency ?? 3).toBe(3);
  });

  it.each([
    [8, "8"],
    [-1, "-1"],
    [1.5, "1.5"],
    [Number.NaN, "NaN"],
    ["3", '"3"'],
    [null, "null"],
  ])("is refused: %j", async (urgency, shown) => {
    const { service } = open();
    const detail = `Option \`urgency\` must be a whole number from 0, which begins first, to 7, not ${shown}.`;
    await expect(service.submit(orders, ORDER, { tenant, urgency: urgency as number })).rejects.toMatchObject(
      { code: "INVALID_OPTION", detail },
    );
  });
});

describeClients("the option `urgency` of service.prepare", (client) => {
  it("is recorded in the user's transaction", async () => {
    const { service, database, backend, file } = createTransactionStage(client);
    try {
      const prepared = await service.prepare(orders, ORDER, { tenant, urgency: 1 });
      database.exec("begin immediate");
      const { operationId } = prepared.record(database);
      database.exec("commit");
      expect(await backend.operations.get(operationId, tenant)).toMatchObject({ urgency: 1 });
    } finally {
      await backend.close();
      await file.remove();
    }
  });
});
