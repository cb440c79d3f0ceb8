import type { ServiceEvent } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { brokers } from "./brokers.js";
import { newQueueName, RING, startListener, untilConnected, useBroker } from "./harnesses.js";

/** Less than the time after which work would begin without rings. */
const SOON = { timeout: 5_000, interval: 5 };
const REPORT = { definition: "reports" };

describe.each(brokers)("rings on $name", (broker) => {
  const { client, newQueue } = useBroker(broker);

  it("reach workers that want their definition", async () => {
    const queue = newQueue();
    const [orders, reports] = [startListener(queue, "orders"), startListener(queue, "reports")];
    await queue.publish([RING]);
    await expect.poll(orders.rings, SOON).toBe(1);
    await queue.publish([REPORT]);
    await expect.poll(reports.rings, SOON).toBe(1);
    expect(orders.rings()).toBe(1);
  });

  it("that come together wake up a worker each", async () => {
    const queue = newQueue();
    const listeners = Array.from({ length: 8 }, () => startListener(queue, "orders"));
    await queue.publish(Array(40).fill(RING));
    await expect.poll(() => listeners.map(({ rings }) => rings()), SOON).toEqual(Array(8).fill(1));
  });

  it("go to the next worker if the one that heard them has no free slots after its claim", async () => {
    const queue = newQueue();
    const listeners = Array.from({ length: 4 }, () => startListener(queue, "orders"));
    await queue.publish([RING]);
    const heard = () => listeners.filter(({ rings }) => rings() > 0);
    for (let count = 1; count <= 4; count += 1) {
      await expect.poll(() => heard().length, SOON).toBe(count);
      for (const listener of heard()) listener.want();
    }
  });

  it.each([
    ["go on if they may have come during a claim that left free slots", 1, 1],
    ["end with a worker that kept free slots after the claim that followed", 2, 0],
  ])("%s", async (_, claims, waiting) => {
    const name = newQueueName();
    const queue = newQueue({ name });
    const listener = startListener(queue, "orders");
    await queue.publish([RING]);
    await expect.poll(listener.rings, SOON).toBe(1);
    for (let claim = 0; claim < claims; claim += 1) listener.want("orders");
    listener.want();
    await listener.close();
    await expect.poll(() => client().countMessages(name, "orders"), SOON).toBe(waiting);
  });

  it("reach an idle worker although busy workers have just been listening", async () => {
    const queue = newQueue();
    const busy = Array.from({ length: 4 }, () => startListener(queue, "orders"));
    await untilConnected(queue, busy);
    for (const listener of busy) listener.want();
    const before = busy.map(({ rings }) => rings());
    const idle = startListener(queue, "orders");
    for (let count = 1; count <= 10; count += 1) {
      await queue.publish([RING]);
      await expect.poll(idle.rings, SOON).toBe(count);
      idle.want("orders");
    }
    expect(busy.map(({ rings }) => rings())).toEqual(before);
  });

  it("wait for a worker that wants them again", async () => {
    const queue = newQueue();
    const listener = startListener(queue, "orders");
    await untilConnected(queue, [listener]);
    const before = listener.rings();
    listener.want();
    await queue.publish([RING]);
    listener.want("orders");
    await expect.poll(listener.rings, SOON).toBe(before + 1);
  });

  it("go to another worker if the one that heard them stops", async () => {
    const queue = newQueue();
    const stopping = startListener(queue, "orders");
    await queue.publish([RING]);
    await expect.poll(stopping.rings, SOON).toBe(1);
    const other = startListener(queue, "orders");
    await stopping.close();
    await expect.poll(other.rings, SOON).toBe(1);
  });

  it("leave no backlog if no worker listens for 10 s", async () => {
    const name = newQueueName();
    const queue = newQueue({ name });
    for (let call = 0; call < 100; call += 1) await queue.publish(Array(10).fill(RING));
    const count = (): Promise<number> => client().countMessages(name, "orders");
    expect(await count()).toBeGreaterThan(0);
    // BullMQ has no jobs that expire, and keeps the last ones.
    const left = broker.name === "BullMQ" ? 16 : 0;
    await expect.poll(count).toBeLessThanOrEqual(left);
  });

  it("cost no event and no error as long as the broker runs", async () => {
    const events: ServiceEvent[] = [];
    const queue = newQueue({ observe: (event) => void events.push(event) });
    const listeners = Array.from({ length: 3 }, () => startListener(queue, "orders", "reports"));
    for (let round = 0; round < 50; round += 1) {
      await queue.publish([RING, REPORT]);
      for (const listener of listeners) listener.want(...(round % 3 === 0 ? [] : ["orders", "reports"]));
    }
    for (const listener of listeners) await listener.close();
    await queue.close();
    expect(events).toEqual([]);
    expect(listeners.flatMap(({ errors }) => errors)).toEqual([]);
  });
});
