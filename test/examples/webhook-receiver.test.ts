import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type ServerProcess, startServer } from "../support/orders-server-process.js";

const SECRET = "whsec_cmVjZWl2ZXItb2YtdGhlLWV4YW1wbGUtMTIzNDU2Nzg=";

let receiver: ServerProcess;
beforeAll(async () => {
  receiver = await startServer({ WEBHOOK_SECRET: SECRET }, "webhook-receiver");
});
afterAll(() => receiver?.kill());

it("prints the operations whose ends a service announces", async () => {
  const service = createOrderService({
    authorize: allowAnonymous(),
    observe: false,
    webhooks: createWebhooks({
      endpoint: () => ({ url: `${receiver.baseUrl}/hooks`, secrets: [SECRET] }),
      trustedOrigins: [receiver.baseUrl],
    }),
  });
  onTestFinished(() => service.close());
  const [orders] = service.definitions;
  const order = { itemId: "book", quantity: 1 };
  const { operationId } = await service.submit(orders, order, { tenant: "tenant-1" });
  await createWorker(service, { orders: () => "shipped" }).runUntilIdle();
  expect(await receiver.stdout.find((line) => line.startsWith(operationId))).toBe(
    `${operationId} is completed`,
  );
});

it("refuses a webhook without a valid signature, and one that is too long", async () => {
  const post = (body: string): Promise<Response> =>
    fetch(`${receiver.baseUrl}/hooks`, { method: "POST", body });
  expect((await post("{}")).status).toBe(401);
  expect((await post(" ".repeat(100_001))).status).toBe(413);
});

it("exits with 0 on SIGTERM", async () => {
  receiver.signal("SIGTERM");
  expect((await receiver.exited).code).toBe(0);
});
