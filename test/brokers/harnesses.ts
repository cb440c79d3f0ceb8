import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createMemoryBackend, type Queue, withQueue } from "async-request-reply";
import type { Ring } from "async-request-reply/ports";
import type { OpenPort, QueueHarness } from "async-request-reply/testing";
import { expect, inject, onTestFinished } from "vitest";
import { useOpen } from "../servers/use-open.js";
import type { PrivateBroker } from "./private-broker.js";
import type { TestedBroker, TestedClient, TestedQueueOptions } from "./tested-broker.js";

/** A broker that runs, and a connection to it. */
export interface OpenBroker {
  readonly port: () => number;
  readonly client: () => TestedClient;
  /** Creates a queue, with a new name unless one is given, and closes it at the end of the test. */
  newQueue(options?: Partial<TestedQueueOptions>): Queue;
  /** Creates a back end in memory whose rings go through a new queue. */
  newBackend(options?: Partial<TestedQueueOptions>): ReturnType<typeof withQueue>;
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
  return port === undefined ? usePrivateBroker(broker) : useClient(broker, () => port);
}

/** Starts a broker before the tests of a `describe` block and removes it afterwards. */
export function usePrivateBroker(broker: TestedBroker): OpenPrivateBroker {
  const server = useOpen(
    () => broker.startServer(),
    (started) => started.remove(),
  );
  return { server, ...useClient(broker, () => server().port) };
}

function useClient(broker: TestedBroker, port: () => number): OpenBroker {
  const client = useOpen(
    () => broker.connect(port()),
    (connected) => connected.close(),
  );
  const newQueue = ({ name = newQueueName(), ...options }: Partial<TestedQueueOptions> = {}): Queue => {
    const queue = client().createQueue({ name, ...options });
    onTestFinished(() => queue.close());
    return queue;
  };
  const newBackend = (options: Partial<TestedQueueOptions> = {}) =>
    withQueue(createMemoryBackend(), newQueue(options));
  return { port, client, newQueue, newBackend };
}

/** A ring of `orders`. */
export const RING: Ring = { definition: "orders", operationId: "01900000-0000-7000-8000-000000000001" };

/** A worker that only listens. */
type Listener = ReturnType<typeof startListener>;

/** Listens to a queue until the end of the test. At first, it wants these definitions. */
export function startListener(queue: Queue, ...definitions: readonly string[]) {
  /** Errors of the queue. */
  const errors: unknown[] = [];
  let rings = 0;
  const listening = queue.listen({
    onRing: () => {
      rings += 1;
    },
    onError: (error) => void errors.push(error),
  });
  /** Sets the definitions that it wants, as after a claim. */
  const want = (...wanted: readonly string[]): void => listening.want(new Set(wanted));
  want(...definitions);
  onTestFinished(() => listening.close());
  return {
    /** Number of rings that it has heard. */
    rings: () => rings,
    errors,
    want,
    close: () => listening.close(),
  };
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
