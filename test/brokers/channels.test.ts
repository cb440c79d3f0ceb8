import type { Announcement, Consumer, Delivery } from "async-request-reply/ports";
import { type AmqpChannel, type AmqpConnection, createRabbitmqQueue } from "async-request-reply/rabbitmq";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { receiveOnce } from "../support/consumers.js";
import { ANNOUNCEMENT, newQueueName, useBroker } from "./harnesses.js";
import { type Connection, connectRabbitmq, rabbitmq } from "./rabbitmq.js";

const SLOTS = 8;

function newAnnouncements(count: number): readonly Announcement[] {
  return Array.from({ length: count }, (_, number) => ({
    ...ANNOUNCEMENT,
    id: `${ANNOUNCEMENT.operationId}.${number}`,
  }));
}

/** Waits for deliveries into free slots. */
function receive(consumer: Consumer, free: number): Promise<readonly Delivery[]> {
  const slots = new Map([["orders", free]]);
  return consumer.receive({ slots, limit: free, token: "a", signal: AbortSignal.timeout(20_000) });
}

describe("channels of RabbitMQ", () => {
  const { port } = useBroker(rabbitmq);
  let connection: Connection;
  beforeEach(async () => {
    connection = await connectRabbitmq(port());
  });
  afterEach(() => connection.close());

  /** Connection whose channels count the calls to the broker. */
  function counting(): { readonly counted: AmqpConnection; readonly channels: AmqpChannel[] } {
    const channels: AmqpChannel[] = [];
    const counted: AmqpConnection = {
      createConfirmChannel: () => connection.createConfirmChannel(),
      createChannel: async () => {
        const channel = await connection.createChannel();
        for (const method of ["consume", "cancel", "nack"] as const) vi.spyOn(channel, method);
        channels.push(channel);
        return channel;
      },
    };
    return { counted, channels };
  }

  it("keep their consumer while most slots are free", async () => {
    const { counted, channels } = counting();
    const queue = createRabbitmqQueue({ connection: counted, prefix: newQueueName() });
    const consumer = queue.consume({
      definitions: [{ name: "orders", concurrency: SLOTS, leaseMs: 30_000 }],
    });
    for (const announcement of newAnnouncements(5)) {
      const receiving = receive(consumer, SLOTS);
      await queue.publish([announcement]);
      for (const delivery of await receiving) await delivery.ack();
    }
    expect(channels).toHaveLength(1);
    expect(channels[0]?.consume).toHaveBeenCalledTimes(1);
    expect(channels[0]?.cancel).not.toHaveBeenCalled();
    await consumer.close();
    await queue.close();
  });

  it("bring few messages that have to go back for lack of room", async () => {
    const { counted, channels } = counting();
    const queue = createRabbitmqQueue({ connection: counted, prefix: newQueueName() });
    await queue.publish(newAnnouncements(100));
    const consumer = queue.consume({
      definitions: [{ name: "orders", concurrency: SLOTS, leaseMs: 30_000 }],
    });
    let working: readonly Delivery[] = [];
    for (let received = 0; received < 100; ) {
      const taken = await receive(consumer, SLOTS - working.length);
      received += taken.length;
      await Promise.all(taken.map((delivery) => delivery.ack()));
      working = [...working, ...taken];
      // A full worker takes long enough for everything that the broker would still send.
      if (working.length === SLOTS) {
        await connection.createChannel().then((channel) => channel.close());
        working = [];
      }
    }
    // The broker may send some between an ack and the end of the order, if the machine is busy.
    expect(channels.flatMap(({ nack }) => vi.mocked(nack).mock.calls).length).toBeLessThan(10);
    await consumer.close();
    await queue.close();
  });

  it("are replaced if their consumer gets nothing although messages wait (F21)", async () => {
    let opened = 0;
    /** Returns a channel whose first consumer is one of another queue. */
    const misleadFirst = async (): Promise<AmqpChannel> => {
      const channel = await connection.createChannel();
      opened += 1;
      if (opened > 1) return channel;
      const other = newQueueName();
      await channel.assertQueue(other, { durable: true, arguments: { "x-queue-type": "classic" } });
      const consume = channel.consume.bind(channel);
      vi.spyOn(channel, "consume").mockImplementation((_, onMessage) => consume(other, onMessage));
      return channel;
    };
    const queue = createRabbitmqQueue({
      connection: {
        createChannel: misleadFirst,
        createConfirmChannel: () => connection.createConfirmChannel(),
      },
      prefix: newQueueName(),
      observe: false,
    });
    const consumer = queue.consume({
      definitions: [{ name: "orders", concurrency: SLOTS, leaseMs: 30_000 }],
    });
    const silent = receive(consumer, SLOTS);
    await queue.publish([ANNOUNCEMENT]);
    await expect(silent).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    const [delivery] = await vi.waitUntil(async () => receive(consumer, SLOTS).catch(() => undefined));
    expect(delivery?.announcement).toEqual(ANNOUNCEMENT);
    await delivery?.ack();
    await consumer.close();
    await queue.close();
  });

  it("are replaced if they were closed while they opened", async () => {
    let closed = false;
    /** Returns a channel that is closed already, as after the loss of its connection. */
    const closeFirst = async <Channel extends { close(): Promise<void> }>(open: Promise<Channel>) => {
      const channel = await open;
      if (!closed) await channel.close();
      closed = true;
      return channel;
    };
    const queue = createRabbitmqQueue({
      connection: {
        createChannel: () => connection.createChannel(),
        createConfirmChannel: () => closeFirst(connection.createConfirmChannel()),
      },
      prefix: newQueueName(),
    });
    await expect(queue.publish([ANNOUNCEMENT])).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    await queue.publish([ANNOUNCEMENT]);
    const [delivery] = await receiveOnce(queue, { limit: 1, signal: AbortSignal.timeout(20_000) });
    expect(delivery?.announcement).toEqual(ANNOUNCEMENT);
    await delivery?.ack();
    await queue.close();
  });
});
