import { describe, expect, it } from "vitest";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { brokers } from "./brokers.js";
import { newQueueName, usePrivateBroker } from "./harnesses.js";
import { CALL_MS, expectEveryOperationToRunOnce, RECOVERY } from "./outage.js";

describe.each(brokers)("an outage of $name", (broker) => {
  const { client, port, server } = usePrivateBroker(broker);

  it("by kill -9 delays the work and no reply (F4)", async () => {
    const queue = client().createQueue({ name: newQueueName(), timeoutMs: CALL_MS });
    await expectEveryOperationToRunOnce(queue, async ({ untilFelt }) => {
      await server().settle();
      await server().kill9();
      await untilFelt();
      await server().start();
    });
  });

  it("by deleted queues delays the work and no reply (F21)", async () => {
    const name = newQueueName();
    await expectEveryOperationToRunOnce(client().createQueue({ name }), async ({ untilWorkGoesOn }) => {
      for (const definition of ["orders", "reports", "orders"]) {
        await client().deleteQueue(name, definition);
        await untilWorkGoesOn();
      }
    });
  });

  it("by a network that cuts connections in the middle of a confirm delays the work and no reply (F22)", async () => {
    const proxy = await startTcpProxy(port());
    const cutClient = await broker.connect(proxy.port);
    const queue = cutClient.createQueue({ name: newQueueName(), timeoutMs: CALL_MS });
    await expectEveryOperationToRunOnce(queue, async ({ untilConfirmed }) => {
      for (let cut = 0; cut < 6; cut += 1) {
        const direction = cut % 2 === 0 ? "down" : "up";
        await proxy.set({ does: "cut", direction, afterBytes: 50 + 37 * cut });
        await expect.poll(proxy.cuts, RECOVERY).toBe(cut + 1);
        await untilConfirmed();
      }
    });
    await cutClient.close();
    await proxy.close();
  });

  it("by a network that drops everything delays the work and no reply (F22)", async () => {
    const proxy = await startTcpProxy(port());
    const cutClient = await broker.connect(proxy.port);
    const queue = cutClient.createQueue({ name: newQueueName(), timeoutMs: CALL_MS });
    await expectEveryOperationToRunOnce(queue, async ({ untilFelt }) => {
      await proxy.set({ does: "drop" });
      await untilFelt();
      // Ends the connections that lost bytes, as a network does after a while.
      await proxy.set({ does: "refuse" });
      await proxy.set({ does: "pass" });
    });
    await cutClient.close();
    await proxy.close();
  });
});
