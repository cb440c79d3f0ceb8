import { createNatsQueue, type JetStream, type JetStreamConsumer } from "async-request-reply/nats";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { newQueueName, RING, startListener, useBroker } from "./harnesses.js";
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
  replace: (consumer: JetStreamConsumer) => JetStreamConsumer,
): JetStream {
  return {
    publish: (...args) => jetstream.publish(...args),
    jetstreamManager: (...args) => jetstream.jetstreamManager(...args),
    consumers: {
      get: async (stream, name) => replace(await jetstream.consumers.get(stream, name)),
    },
  };
}

describe("a worker whose request NATS has lost", () => {
  const { port } = useBroker(nats);

  it("makes it again after 14 s", async () => {
    const clock = createManualClock();
    const { connection, jetstream } = await connectNats(port());
    let requests = 0;
    const losing = withConsumers(jetstream, (consumer) => ({
      fetch: async (request) => {
        requests += 1;
        return requests === 1 ? lostMessages() : consumer.fetch(request);
      },
    }));
    const queue = createNatsQueue({ jetstream: losing, stream: newQueueName(), runtime: { clock } });
    const listener = startListener(queue, "orders");
    await expect.poll(() => requests).toBe(1);
    await queue.publish([RING]);
    await clock.advance(13_999);
    expect(requests).toBe(1);
    await clock.advance(1);
    await expect.poll(listener.rings).toBe(1);
    await queue.close();
    await connection.close();
  });
});
