import type { Queue } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { newQueueName, RING, startListener, useBroker } from "./harnesses.js";
import { nats } from "./nats.js";
import { rabbitmq } from "./rabbitmq.js";

/** Checks that a worker hears a ring. */
async function expectToRing(queue: Queue): Promise<void> {
  const listener = startListener(queue, "orders");
  await queue.publish([RING]);
  await expect.poll(listener.rings).toBe(1);
  // Otherwise it would pass the ring on.
  for (let claim = 0; claim < 2; claim += 1) listener.want("orders");
  await listener.close();
}

describe.each([rabbitmq, nats])("a queue on $name that must not declare", (broker) => {
  const { newQueue } = useBroker(broker);

  it("uses what exists, and throws if it does not exist", async () => {
    const name = newQueueName();
    const passive = newQueue({ name, declare: false });
    await expect(passive.publish([RING])).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    const declaring = newQueue({ name });
    await expectToRing(declaring);
    const again = newQueue({ name, declare: false });
    await expectToRing(again);
  });

  it("reports a missing queue once, goes on with the others, and rings when it exists (F21)", async () => {
    const name = newQueueName();
    const declaring = newQueue({ name });
    await expectToRing(declaring);
    const passive = newQueue({ name, declare: false });
    const orders = startListener(passive, "orders");
    const reports = startListener(passive, "reports");
    await expect.poll(() => reports.errors).toMatchObject([{ code: "QUEUE_UNAVAILABLE" }]);
    await passive.publish([RING]);
    await expect.poll(orders.rings).toBe(1);

    const other = startListener(declaring, "reports");
    const isHeard = async (): Promise<number> => {
      await declaring.publish([{ definition: "reports" }]);
      // It wants no second ring before its next claim.
      return other.rings() && reports.rings();
    };
    await expect.poll(isHeard).toBe(1);
    expect([orders.errors, reports.errors.length]).toEqual([[], 1]);
  });
});

describe("a quorum queue on RabbitMQ", () => {
  const { client, newQueue } = useBroker(rabbitmq);

  it("rings, and leaves no backlog if no worker listens for 10 s", async () => {
    const name = newQueueName();
    const queue = newQueue({ name, queueType: "quorum" });
    await expectToRing(queue);
    await queue.publish([RING]);
    const count = (): Promise<number> => client().countMessages(name, "orders");
    await expect.poll(count).toBe(1);
    await expect.poll(count).toBe(0);
  });
});
