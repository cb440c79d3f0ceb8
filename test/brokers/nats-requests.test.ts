import { createNatsQueue, type JetStream, type JetStreamConsumer } from "async-request-reply/nats";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { receiveOnce } from "../support/consumers.js";
import { ANNOUNCEMENT, newQueueName, useBroker } from "./harnesses.js";
import { connectNats, nats } from "./nats.js";

/** Returns messages that never arrive and never end, as after the loss of a leader. */
function lostMessages(): Awaited<ReturnType<JetStreamConsumer["fetch"]>> {
  let end: (result: { done: true; value: undefined }) => void = () => {};
  const next = () =>
    new Promise<{ done: true; value: undefined }>((resolve) => {
      end = resolve;
    });
  return {
    [Symbol.asyncIterator]: () => ({ next }),
    close: async () => end({ done: true, value: undefined }),
  };
}

/** Returns a JetStream with other consumers. */
function withConsumers(
  jetstream: JetStream,
  replace: (consumer: JetStreamConsumer, name: string) => JetStreamConsumer,
): JetStream {
  return {
    publish: (...args) => jetstream.publish(...args),
    jetstreamManager: (...args) => jetstream.jetstreamManager(...args),
    consumers: {
      get: async (stream, name) => replace(await jetstream.consumers.get(stream, name), name),
    },
  };
}

describe("a worker whose request NATS has lost", () => {
  const { port } = useBroker(nats);

  it("makes it again after 7 s", async () => {
    const clock = createManualClock();
    const { connection, jetstream } = await connectNats(port());
    let requests = 0;
    const losing = withConsumers(jetstream, (consumer) => ({
      info: () => consumer.info(),
      fetch: async (request) => {
        requests += 1;
        return requests === 1 ? lostMessages() : consumer.fetch(request);
      },
    }));
    const queue = createNatsQueue({ jetstream: losing, stream: newQueueName(), runtime: { clock } });
    const receiving = receiveOnce(queue, { limit: 1, signal: AbortSignal.timeout(20_000) });
    await queue.publish([ANNOUNCEMENT]);
    await expect.poll(() => requests).toBe(1);
    await clock.advance(6_999);
    expect(requests).toBe(1);
    await clock.advance(1);
    const [delivery] = await receiving;
    expect(delivery?.announcement).toEqual(ANNOUNCEMENT);
    expect(requests).toBe(2);
    await delivery?.ack();
    await queue.close();
    await connection.close();
  });
});

describe("a worker whose request ends while it asks for other work", () => {
  const { port } = useBroker(nats);

  it("receives what is behind messages that it cannot read", async () => {
    const { connection, jetstream } = await connectNats(port());
    const stream = newQueueName();
    let ended = Promise.resolve();
    const slow = withConsumers(jetstream, (consumer, name) => ({
      info: async () => {
        if (name === "reports") await ended;
        return consumer.info();
      },
      fetch: async (request) => {
        const messages = await consumer.fetch(request);
        let end: () => void = () => {};
        ended = new Promise((resolve) => {
          end = () => setImmediate(resolve);
        });
        return {
          async *[Symbol.asyncIterator]() {
            yield* messages;
            end();
          },
          close: () => messages.close(),
        };
      },
    }));
    const queue = createNatsQueue({ jetstream: slow, stream, observe: false });
    // The first announcement creates the stream.
    await queue.publish([{ ...ANNOUNCEMENT, id: `${ANNOUNCEMENT.id}0`, definition: "reports" }]);
    const definitions = ["orders", "reports"];
    const [report] = await receiveOnce(queue, { definitions });
    await report?.ack();
    for (let each = 0; each < 3; each += 1) await jetstream.publish(`${stream}.orders`, "not JSON", {});
    await queue.publish([ANNOUNCEMENT]);
    const received = await receiveOnce(queue, { definitions, limit: 1 });
    expect(received).toHaveLength(1);
    await received[0]?.ack();
    await queue.close();
    await connection.close();
  });
});
