import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import type { Capabilities, QueueHarness } from "async-request-reply/testing";
import { afterAll, beforeAll, inject } from "vitest";
import type { PrivateBroker } from "./private-broker.js";
import type { TestedBroker, TestedClient } from "./tested-broker.js";

/** A broker that runs, and a connection to it. */
export interface OpenBroker {
  readonly port: () => number;
  readonly client: () => TestedClient;
}

/** A broker that only the tests of one `describe` block use, so that they can stop it. */
export interface OpenPrivateBroker extends OpenBroker {
  readonly server: () => PrivateBroker;
}

/**
 * Connects the tests of a `describe` block to the broker that all files of the project share. Every test uses its own
 * queues. Starts a private broker if the project shares none.
 */
export function useBroker(broker: TestedBroker): OpenBroker {
  const port = inject("brokerPorts")?.[broker.name];
  return port === undefined
    ? usePrivateBroker(broker)
    : { port: () => port, client: useClient(broker, () => port) };
}

/** Starts a broker before the tests of a `describe` block and removes it afterwards. */
export function usePrivateBroker(broker: TestedBroker): OpenPrivateBroker {
  let started: PrivateBroker | undefined;
  beforeAll(async () => {
    started = await broker.startServer();
  });
  // Runs after the client is closed: Vitest calls these hooks in reverse order.
  afterAll(() => started?.remove());
  const server = (): PrivateBroker => opened(started);
  const port = (): number => server().port;
  return { server, port, client: useClient(broker, port) };
}

function useClient(broker: TestedBroker, port: () => number): () => TestedClient {
  let client: TestedClient | undefined;
  beforeAll(async () => {
    client = await broker.connect(port());
  });
  afterAll(() => client?.close());
  return () => opened(client);
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

/** Returns a name that no other queue of the broker has. */
export function newQueueName(): string {
  return `queue-${randomBytes(8).toString("hex")}`;
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
