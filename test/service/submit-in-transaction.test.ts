import { allowAnonymous, createService, defineOrders } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { transactionalBackend } from "../support/transactional-backend.js";

const orders = defineOrders();
const ORDER = { itemId: "pen", quantity: 2 };
const PREPARING = {
  id: "00000000-0000-7000-8000-000000000001",
  tenant: "tenant",
  definition: "orders",
  key: "k",
  input: JSON.stringify(ORDER),
  retentionMs: 3_600_000,
};

it("refuses a key whose earlier submission has not created its resource, which no client can read yet", async () => {
  const clock = createManualClock();
  const { backend, transactions } = transactionalBackend(clock);
  const service = createService({
    definitions: [orders],
    backend,
    authorize: allowAnonymous(),
    create: { orders: async () => ({ body: {} }) },
    runtime: { clock, hash: (text) => text },
  });
  // Its process dies now.
  await backend.submissions.record({
    operation: PREPARING,
    fingerprint: `1:${PREPARING.input}`,
    initial: { state: "preparing", token: "token", leaseMs: 30_000 },
  });
  const submit = (): Promise<unknown> =>
    transactions.run((tx) => service.submit(orders, ORDER, { tenant: "tenant", key: "k", tx }));

  await expect(submit()).rejects.toMatchObject({ code: "CREATION_IN_PROGRESS" });
  await clock.advance(30_000);
  await service.submit(orders, ORDER, { tenant: "tenant", key: "k" });
  expect(await submit()).toEqual({
    operationId: PREPARING.id,
    status: "pending",
    replayed: true,
    resource: { body: {} },
  });
});
