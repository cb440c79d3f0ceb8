import { createService, createWorker } from "async-request-reply";
import { createWebhooks, verifyWebhook } from "async-request-reply/webhooks";
import { expect, it } from "vitest";
import { describePostgres } from "../../support/postgres/server.js";
import { startReceiver, status } from "../../support/webhooks/receiver.js";
import { exportsOf, SECRET } from "../../support/webhooks/stage.js";

const tenant = "acme";

await describePostgres("webhooks on Postgres", (server) => {
  it("announce operations that completed, failed, were cancelled or ended in a transaction of the user", async () => {
    const receiver = await startReceiver();
    receiver.answer(status(503));
    const webhooks = createWebhooks({
      endpoint: () => ({ url: receiver.url, secrets: [SECRET] }),
      trustedOrigins: [receiver.origin],
    });
    const backend = server.open();
    const authorize = (): undefined => undefined;
    const service = createService({ definitions: [exportsOf], backend, authorize, webhooks, observe: false });
    const submit = async (outcome: "complete" | "refuse" | "mend") =>
      (await service.submit(exportsOf, { outcome }, { tenant })).operationId;
    const cancelled = await submit("complete");
    await service.cancel(exportsOf, cancelled, { tenant });
    const ids = [await submit("complete"), await submit("refuse"), await submit("mend")];
    const worker = createWorker(
      service,
      {
        exports: async ({ outcome }, job) => {
          if (outcome === "refuse") throw new Error("refused");
          if (outcome === "mend") await job.transaction(() => ({ rows: 1 }));
        },
      },
      { maxAttempts: 1, sweepIntervalMs: 100 },
    );
    await worker.start();
    await expect.poll(() => receiver.received.length).toBe(5);
    await service.close();
    const verified = await Promise.all(
      receiver.received.map(({ headers, body }) => verifyWebhook({ headers, body, secrets: [SECRET] })),
    );
    const announced = verified.map(({ data }) => `${data.operationId} ${data.status}`);
    const expected = [
      `${cancelled} failed`,
      `${ids[0]} completed`,
      `${ids[1]} failed`,
      `${ids[2]} completed`,
    ];
    expect([...new Set(announced)].sort()).toEqual(expected.sort());
    expect(new Set(verified.map(({ id }) => id)).size).toBe(4);
    await receiver.close();
  });
});
