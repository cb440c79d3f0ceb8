import { allowAnonymous, createService, createWorker } from "async-request-reply";
import { createWebhooks } from "async-request-reply/webhooks";
import { expect, it, onTestFinished } from "vitest";
import { describeClients } from "../../support/sqlite/clients.js";
import { createTransactionStage, ORDER, orders, TENANT } from "../../support/sqlite/transaction-stage.js";
import { startReceiver } from "../../support/webhooks/receiver.js";
import { SECRET } from "../../support/webhooks/stage.js";

describeClients("the `webhookUrl` of service.prepare on an SQLite database", (client) => {
  it("learns of the end once if the user's transaction commits, and never if it does not", async () => {
    const { file, backend, clock, database } = createTransactionStage(client);
    const receiver = await startReceiver();
    onTestFinished(async () => {
      await backend.close();
      await file.remove();
      await receiver.close();
    });
    const webhooks = createWebhooks({
      endpoint: () => ({ url: receiver.url, secrets: [SECRET] }),
      allow: () => true,
      trustedOrigins: [receiver.origin],
    });
    const service = createService({
      definitions: [orders],
      backend,
      authorize: allowAnonymous(),
      webhooks,
      observe: false,
      runtime: { clock },
    });
    for (const end of ["rollback", "commit"]) {
      const webhookUrl = `${receiver.origin}/${end}`;
      const prepared = await service.prepare(orders, ORDER, { tenant: TENANT, webhookUrl });
      database.exec("begin immediate");
      prepared.record(database);
      database.exec(end);
    }
    await createWorker(service, { orders: () => ({}) }).runUntilIdle();
    expect(receiver.received.map(({ path }) => path)).toEqual(["/commit"]);
  });
});
