import type { Announcement } from "async-request-reply";
import { type AmqpConnection, createRabbitmqQueue } from "async-request-reply/rabbitmq";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { receiveOnce } from "../consumers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { loadLibrary } from "./libraries.js";
import { rabbitmq } from "./rabbitmq.js";

interface Connection extends AmqpConnection {
  close(): Promise<void>;
}

interface Amqplib {
  connect(url: string, options: object): Promise<Connection>;
}

const ANNOUNCEMENT: Announcement = {
  version: 1,
  id: "01900000-0000-7000-8000-000000000001.a",
  operationId: "01900000-0000-7000-8000-000000000001",
  definition: "orders",
};

describe("channels of RabbitMQ", () => {
  const { server } = useBroker(rabbitmq);
  let connection: Connection;

  beforeEach(async () => {
    connection = await loadLibrary<Amqplib>("amqplib").connect(`amqp://127.0.0.1:${server().port}`, {
      noDelay: true,
    });
  });
  afterEach(() => connection.close());

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
