import { describe } from "vitest";
import { testMistakes, untyped } from "../support/untyped.js";

const { createBullmqQueue, createNatsQueue, createRabbitmqQueue } = untyped;

const connection = { createChannel: (): void => {}, createConfirmChannel: (): void => {} };
const jetstream = { publish: (): void => {}, jetstreamManager: (): void => {} };
const bullmq = { Queue: class {}, Worker: class {}, QueueEvents: class {} };

describe("a mistake in a queue on a broker says what is wrong, what is expected and what to do", () => {
  testMistakes([
    [
      "an address instead of a connection of amqplib",
      "Option `connection` must be a connection of `amqplib`, such as `await connect(url, { recovery: true })`, not " +
        "a string.",
      () => createRabbitmqQueue({ connection: "amqp://me:secret@localhost" }),
    ],
    [
      "an unknown type of queue",
      'Option `queueType` must be `classic` or `quorum`, not "stream".',
      () => createRabbitmqQueue({ connection, queueType: "stream" }),
    ],
    [
      "an empty prefix",
      'Option `prefix` must be 1 to 100 letters, digits, `.`, `_`, `:` or `-`, not "".',
      () => createRabbitmqQueue({ connection, prefix: "" }),
    ],
    [
      "a connection of NATS without JetStream",
      "Option `jetstream` must be the result of `jetstream(connection)` of `@nats-io/jetstream`, not an object.",
      () => createNatsQueue({ jetstream: { publish: (): void => {} } }),
    ],
    [
      "a stream with a dot, which separates subjects",
      'Option `stream` must be 1 to 100 letters, digits, `_` or `-`, not "my.stream".',
      () => createNatsQueue({ jetstream, stream: "my.stream" }),
    ],
    [
      "more replicas than NATS allows",
      "Option `replicas` must be at most 5, not 6.",
      () => createNatsQueue({ jetstream, replicas: 6 }),
    ],
    [
      "header fields instead of the function that creates them",
      "Option `headers` must be the function `headers` of `@nats-io/transport-node`, not an object.",
      () => createNatsQueue({ jetstream, headers: { traceparent: "00" } }),
    ],
    [
      "no module of BullMQ",
      'Option `bullmq` must be the module, from `import * as bullmq from "bullmq"`, not undefined.',
      () => createBullmqQueue({ connection: {} }),
    ],
    [
      "an address instead of a connection to Redis, which is not quoted",
      "Option `connection` must be a client of Redis, such as `new Redis(url, { maxRetriesPerRequest: null })` of " +
        "`ioredis`, not a string.",
      () => createBullmqQueue({ bullmq, connection: "redis://me:secret@localhost" }),
    ],
    [
      "a time limit of 0",
      "Option `timeoutMs` must be a whole number greater than 0, not 0.",
      () => createNatsQueue({ jetstream, timeoutMs: 0 }),
    ],
  ]);
});
