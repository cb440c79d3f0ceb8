import { type AmqpChannel, type AmqpConnection, createRabbitmqQueue } from "async-request-reply/rabbitmq";
import { createManualClock } from "async-request-reply/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newQueueName, RING, startListener, untilConnected, useBroker } from "./harnesses.js";
import { type Connection, connectRabbitmq, rabbitmq } from "./rabbitmq.js";

/** Time after which a consumer ends that the worker does not want. Milliseconds. */
const REST_MS = 1_000;

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
        for (const method of ["consume", "cancel", "ack", "nack"] as const) vi.spyOn(channel, method);
        channels.push(channel);
        return channel;
      },
    };
    return { counted, channels };
  }

  it("keep their consumer while a worker has no free slots for a short time, and end it later", async () => {
    const clock = createManualClock();
    const { counted, channels } = counting();
    const queue = createRabbitmqQueue({
      connection: counted,
      prefix: newQueueName(),
      runtime: { clock },
    });
    const listener = startListener(queue, "orders");
    await untilConnected(queue, [listener]);
    for (let time = 0; time < 1_000; time += 1) {
      listener.want();
      await clock.advance(REST_MS - 1);
      listener.want("orders");
    }
    expect(channels).toHaveLength(1);
    const [{ consume, cancel }] = channels as [AmqpChannel];
    expect([consume, cancel].map((method) => vi.mocked(method).mock.calls.length)).toEqual([1, 0]);
    listener.want();
    await clock.advance(REST_MS);
    await expect.poll(() => vi.mocked(cancel).mock.calls.length).toBe(1);
    listener.want("orders");
    await queue.publish([RING]);
    await expect.poll(listener.rings).toBe(2);
    expect(consume).toHaveBeenCalledTimes(2);
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
    await expect(queue.publish([RING])).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    await queue.publish([RING]);
    const listener = startListener(queue, "orders");
    await expect.poll(listener.rings).toBe(1);
    await queue.close();
  });
});
