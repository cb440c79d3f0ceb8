import { createService, createWorker, defineOperation, withQueue } from "async-request-reply";
import { expect, it } from "vitest";
import * as z from "zod";
import { describePostgres } from "../support/postgres/server.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";

const BACKLOG = 60;
const SLOTS = 2;

const orders = defineOperation({ name: "orders", path: "/orders", input: z.string() });

for (const broker of brokers)
  await describePostgres(`operations in Postgres and messages on ${broker.name}`, (server) => {
    const { client } = useBroker(broker);

    it("begin by turns of the tenants, and urgent ones first", async () => {
      const backend = withQueue(server.open(), client().createQueue({ name: newQueueName() }));
      const service = createService({ backend, definitions: [orders], observe: false });
      const ran: string[] = [];
      const worker = createWorker(
        service,
        { orders: (input) => void ran.push(input) },
        // Longer than the test, so that only messages wake up the worker.
        { concurrency: SLOTS, sweepIntervalMs: 600_000 },
      );
      for (let index = 0; index < BACKLOG; index += 1) await service.submit(orders, "flood", { tenant: "a" });
      await service.submit(orders, "newcomer", { tenant: "b" });
      await service.submit(orders, "urgent", { tenant: "a", urgency: 0 });
      await worker.start();
      await expect.poll(() => ran.length, { timeout: 20_000 }).toBe(BACKLOG + 2);
      expect(ran[0]).toBe("urgent");
      expect(ran.indexOf("newcomer")).toBeLessThanOrEqual(1 + SLOTS);
      await service.close();
    });
  });
