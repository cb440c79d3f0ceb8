import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { expectEveryOperationToRunOnce, RECOVERY } from "./outage.js";

describe.each(brokers)("an outage of $name", (broker) => {
  const { client, server } = useBroker(broker);
  it("of 10 s delays the work and no reply (F5)", async () => {
    await expectEveryOperationToRunOnce(client().createQueue({ name: newQueueName() }), async () => {
      await server().stop();
      await sleep(10_000);
      await server().start();
    });
  });

  it("by kill -9 delays the work and no reply (F4)", async () => {
    await expectEveryOperationToRunOnce(client().createQueue({ name: newQueueName() }), async () => {
      await server().settle();
      await server().kill9();
      await sleep(1_000);
      await server().start();
    });
  });

  it("by deleted queues delays the work and no reply (F21)", async () => {
    const name = newQueueName();
    await expectEveryOperationToRunOnce(client().createQueue({ name }), async () => {
      for (let round = 0; round < 3; round += 1) {
        await client().deleteQueue(name, round % 2 === 0 ? "orders" : "reports");
        await sleep(1_500);
      }
    });
  });

  it("by a network that cuts connections in the middle of a confirm delays the work and no reply (F22)", async () => {
    const proxy = await startTcpProxy(server().port);
    const cutClient = await broker.connect(proxy.port);
    await expectEveryOperationToRunOnce(cutClient.createQueue({ name: newQueueName() }), async () => {
      for (let cut = 0; cut < 6; cut += 1) {
        const direction = cut % 2 === 0 ? "down" : "up";
        await proxy.set({ does: "cut", direction, afterBytes: 50 + 37 * cut });
        await expect.poll(proxy.cuts, RECOVERY).toBe(cut + 1);
        await sleep(500);
      }
    });
    await cutClient.close();
    await proxy.close();
  });

  it("by a network that drops everything delays the work and no reply (F22)", async () => {
    const proxy = await startTcpProxy(server().port);
    const cutClient = await broker.connect(proxy.port);
    const queue = cutClient.createQueue({ name: newQueueName(), timeoutMs: 500 });
    await expectEveryOperationToRunOnce(queue, async () => {
      await proxy.set({ does: "drop" });
      await sleep(3_000);
      // Ends the connections that lost bytes, as a network does after a while.
      await proxy.set({ does: "refuse" });
      await proxy.set({ does: "pass" });
    });
    await cutClient.close();
    await proxy.close();
  });
});
