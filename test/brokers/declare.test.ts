import type { Queue } from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { receiveOnce } from "../support/consumers.js";
import { ANNOUNCEMENT, newQueueName, useBroker } from "./harnesses.js";
import { nats } from "./nats.js";
import { rabbitmq } from "./rabbitmq.js";

/** Publishes an announcement and returns what a worker receives. */
async function received(queue: Queue, announcement: Announcement): Promise<unknown> {
  const signal = AbortSignal.timeout(20_000);
  const receiving = receiveOnce(queue, { limit: 1, signal });
  await queue.publish([announcement]);
  const [delivery] = await receiving;
  await delivery?.ack();
  return delivery?.announcement;
}

describe.each([rabbitmq, nats])("a queue on $name that must not declare", (broker) => {
  const { client } = useBroker(broker);

  it("uses what exists, and throws if it does not exist", async () => {
    const name = newQueueName();
    const passive = client().createQueue({ name, declare: false });
    await expect(passive.publish([ANNOUNCEMENT])).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    const declaring = client().createQueue({ name });
    expect(await received(declaring, ANNOUNCEMENT)).toEqual(ANNOUNCEMENT);
    const again = client().createQueue({ name, declare: false });
    const next = { ...ANNOUNCEMENT, id: `${ANNOUNCEMENT.operationId}.b` };
    expect(await received(again, next)).toEqual(next);
    for (const queue of [passive, declaring, again]) await queue.close();
  });
});

describe("a classic queue on RabbitMQ", () => {
  const { client } = useBroker(rabbitmq);

  it("delivers announcements", async () => {
    const queue = client().createQueue({ name: newQueueName(), queueType: "classic" });
    expect(await received(queue, ANNOUNCEMENT)).toEqual(ANNOUNCEMENT);
    await queue.close();
  });
});
