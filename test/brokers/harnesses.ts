import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import type { Capabilities, QueueHarness } from "async-request-reply/testing";
import { afterAll, beforeAll } from "vitest";
import type { PrivateBroker } from "./private-broker.js";
import type { TestedBroker, TestedClient } from "./tested-broker.js";

/** A broker and a connection to it, for the tests of one file. */
export interface OpenBroker {
  readonly server: () => PrivateBroker;
  readonly client: () => TestedClient;
}

/** Starts a broker before the tests of a `describe` block and removes it afterwards. */
export function useBroker(broker: TestedBroker): OpenBroker {
  let server: PrivateBroker | undefined;
  let client: TestedClient | undefined;
  beforeAll(async () => {
    server = await broker.startServer();
    client = await broker.connect(server.port);
  });
  afterAll(async () => {
    await client?.close();
    await server?.remove();
  });
  return { server: () => opened(server), client: () => opened(client) };
}

function opened<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The broker has not been started.");
  return value;
}

/** An announcement of `orders`. */
export const ANNOUNCEMENT: Announcement = {
  version: 1,
  id: "01900000-0000-7000-8000-000000000001.a",
  operationId: "01900000-0000-7000-8000-000000000001",
  definition: "orders",
};

let queues = 0;

/** Returns a name that no other queue of this process has. */
export function newQueueName(): string {
  queues += 1;
  return `queue-${queues}`;
}

/** Creates a harness whose cases each get a queue of a new name. */
export function queueHarness(broker: TestedBroker, { client }: OpenBroker): QueueHarness {
  const capabilities: Capabilities = {
    leaseGranularityMs: 200,
    standalone: true,
    deduplicates: broker.deduplicates,
  };
  return {
    capabilities,
    deliversWithinMs: 1_000,
    create: async () => {
      const port: Queue = client().createQueue({ name: newQueueName(), retryDelayMs: 50 });
      return { port, close: () => port.close() };
    },
    passTime: async (ms) => void (await sleep(ms + 5)),
  };
}
