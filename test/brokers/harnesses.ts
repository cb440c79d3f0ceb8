import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "async-request-reply";
import type { Ring } from "async-request-reply/ports";
import type { OpenPort, QueueHarness } from "async-request-reply/testing";
import { afterAll, beforeAll, expect, inject, onTestFinished } from "vitest";
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

/** A ring of `orders`. */
export const RING: Ring = { definition: "orders", operationId: "01900000-0000-7000-8000-000000000001" };

/** A worker that only listens. */
export interface Listener {
  /** Number of rings that it has heard. */
  readonly rings: () => number;
  /** Errors of its queue. */
  readonly errors: readonly unknown[];
  /** Sets the definitions that it wants, as after a claim. */
  want(...definitions: readonly string[]): void;
  close(): Promise<void>;
}

/** Listens to a queue until the end of the test. At first, it wants these definitions. */
export function startListener(queue: Queue, ...definitions: readonly string[]): Listener {
  const errors: unknown[] = [];
  let rings = 0;
  const listening = queue.listen({
    onRing: () => {
      rings += 1;
    },
    onError: (error) => void errors.push(error),
  });
  const want = (...wanted: readonly string[]): void => listening.want(new Set(wanted));
  want(...definitions);
  onTestFinished(() => listening.close());
  return { rings: () => rings, errors, want, close: () => listening.close() };
}

/** Waits until new listeners for `orders` have connected: until each has heard a ring. Then they want the next one. */
export async function untilConnected(queue: Queue, listeners: readonly Listener[]): Promise<void> {
  // A listener that has heard a ring hears no other one before its next claim.
  for (let count = 1; count <= listeners.length; count += 1) {
    await queue.publish([RING]);
    await expect.poll(() => listeners.filter(({ rings }) => rings() > 0).length, { interval: 5 }).toBe(count);
  }
  for (let claim = 0; claim < 2; claim += 1) for (const listener of listeners) listener.want("orders");
}

/** Returns a name that no other queue of the broker has. */
export function newQueueName(): string {
  return `queue-${randomBytes(8).toString("hex")}`;
}

/** Creates a harness whose cases each get a queue of a new name. */
export function queueHarness({ client }: OpenBroker): QueueHarness {
  return {
    capabilities: { leaseGranularityMs: 200, processes: true },
    ringsWithinMs: 1_000,
    create: async () => {
      const name = newQueueName();
      const open = async (): Promise<OpenPort<Queue>> => {
        const port = client().createQueue({ name });
        return { port, close: () => port.close() };
      };
      return { ...(await open()), connect: open };
    },
    passTime: async (ms) => void (await sleep(ms + 5)),
  };
}
