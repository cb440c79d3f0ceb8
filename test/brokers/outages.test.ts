import { describe, expect, it } from "vitest";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { brokers } from "./brokers.js";
import { newQueueName, RING, startListener, untilConnected, usePrivateBroker } from "./harnesses.js";
import { CALL_MS, cutOnce, type Effects, endDrop, expectEveryOperationToRunOnce } from "./outage.js";
import { createSubmitter, createWork } from "./service.js";

describe.each(brokers)("an outage of $name", (broker) => {
  const { client, port, server, newQueue, newBackend } = usePrivateBroker(broker);

  it("by kill -9 delays the work and no reply (F4)", async () => {
    await expectEveryOperationToRunOnce(newQueue({ timeoutMs: CALL_MS }), async ({ untilFelt }) => {
      await server().settle();
      await server().kill9();
      await untilFelt();
      await server().start();
    });
  });

  it("by deleted queues delays the work and no reply (F21)", async () => {
    const name = newQueueName();
    await expectEveryOperationToRunOnce(newQueue({ name }), async ({ untilWorkGoesOn }) => {
      for (const definition of ["orders", "reports", "orders"]) {
        await client().deleteQueue(name, definition);
        await untilWorkGoesOn();
      }
    });
  });

  /** Plays an outage of the network between the processes and the broker. */
  async function expectToOutlive(
    outage: (proxy: TcpProxy, effects: Effects) => Promise<void>,
  ): Promise<void> {
    const proxy = await startTcpProxy(port());
    const cutClient = await broker.connect(proxy.port);
    const queue = cutClient.createQueue({ name: newQueueName(), timeoutMs: CALL_MS });
    await expectEveryOperationToRunOnce(queue, (effects) => outage(proxy, effects));
    await cutClient.close();
    await proxy.close();
  }

  it("by a network that cuts connections in the middle of a confirm delays the work and no reply (F22)", () =>
    expectToOutlive(async (proxy, { untilConfirmed }) => {
      for (let cut = 0; cut < 6; cut += 1) {
        await cutOnce(proxy, cut);
        await expect.poll(proxy.cuts).toBe(cut + 1);
        await untilConfirmed();
      }
    }));

  it("by a network that drops everything delays the work and no reply (F22)", () =>
    expectToOutlive(async (proxy, { untilFelt }) => {
      await proxy.set({ does: "drop" });
      await untilFelt();
      await endDrop(proxy);
    }));

  it("delays work by 10 s at most, is reported but not in a loop, and ends by itself", async () => {
    const backend = newBackend({ timeoutMs: CALL_MS });
    const { queue } = backend;
    const listener = startListener(queue, "orders");
    await untilConnected(queue, [listener]);
    const { submit, close } = createSubmitter(backend);
    const work = createWork();
    await work.start("worker", backend);
    // After a ring, a listener waits for these. One that was left over from the outage before can come at any time.
    const claimTwice = (): void => {
      for (let claim = 0; claim < 2; claim += 1) listener.want("orders");
    };
    for (let outage = 1; outage <= 2; outage += 1) {
      await server().stop();
      const errors = (): number => {
        claimTwice();
        return listener.errors.length;
      };
      // On a busy machine, a call may have failed just before, which is reported together with the outage.
      await expect.poll(errors).toBeGreaterThanOrEqual(outage);
      await submit();
      await expect.poll(work.all).toHaveLength(outage);
      await server().start();
      const before = listener.rings();
      const isHeard = async (): Promise<number> => {
        claimTwice();
        await queue.publish([RING]).catch(() => {});
        return listener.rings();
      };
      await expect.poll(isHeard).toBeGreaterThan(before);
    }
    // A broker that starts can be reached and lost again.
    expect(listener.errors.length).toBeLessThanOrEqual(6);
    for (const error of listener.errors) expect(error).toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    await work.stop();
    await close();
  });

  it("holds up no worker that stops, and no queue that closes", async () => {
    const queue = newQueue({ timeoutMs: CALL_MS });
    const listeners = [startListener(queue, "orders"), startListener(queue, "orders", "reports")];
    await queue.publish(Array(2).fill(RING));
    await expect.poll(() => listeners.map(({ rings }) => rings())).toEqual([1, 1]);
    await server().stop();
    const from = performance.now();
    for (const listener of listeners) listener.want();
    await listeners[0]?.close();
    await queue.close();
    expect(performance.now() - from).toBeLessThan(10 * CALL_MS);
    await server().start();
  });
});
