import { createNatsQueue, type JetStream, type JetStreamConsumer } from "async-request-reply/nats";
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

describe("a worker whose request NATS has lost", () => {
  const { server } = useBroker(nats);

  it("makes it again within 7 s", async () => {
    const { connection, jetstream } = await connectNats(server().port);
    let requests = 0;
    const losing: JetStream = {
      publish: (...args) => jetstream.publish(...args),
      jetstreamManager: (...args) => jetstream.jetstreamManager(...args),
      consumers: {
        get: async (...args) => {
          const consumer = await jetstream.consumers.get(...args);
          return {
            info: () => consumer.info(),
            fetch: async (request) => (++requests === 1 ? lostMessages() : consumer.fetch(request)),
          };
        },
      },
    };
    const queue = createNatsQueue({ jetstream: losing, stream: newQueueName() });
    const startedAt = performance.now();
    const receiving = receiveOnce(queue, { limit: 1, signal: AbortSignal.timeout(20_000) });
    await queue.publish([ANNOUNCEMENT]);
    const [delivery] = await receiving;
    expect(delivery?.announcement).toEqual(ANNOUNCEMENT);
    expect(performance.now() - startedAt).toBeGreaterThan(6_000);
    expect(requests).toBe(2);
    await delivery?.ack();
    await queue.close();
    await connection.close();
  });
});
