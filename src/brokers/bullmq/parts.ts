import type { CallBroker } from "../shared/calls.js";
import { toSafeName } from "../shared/queue-name.js";
import type { BullmqPart, BullmqQueue, BullmqWorker } from "./bullmq.js";
import type { BullmqSettings } from "./settings.js";

/** The instances of BullMQ's classes in this process, one of each per definition. */
export interface Parts {
  /** Returns the instance that adds jobs of a definition. */
  queueOf(definition: string): BullmqQueue;
  /** Returns the instance that takes jobs of a definition, and starts to listen for them. */
  workerOf(definition: string): BullmqWorker;
  /** Closes all instances. */
  close(): Promise<void>;
}

/**
 * Creates the instances at their first use. An instance whose connection could not be set up never works again, so the
 * next use creates another one.
 */
export function createParts(
  { bullmq, connection, prefix }: BullmqSettings,
  call: CallBroker,
  onWaiting: (definition: string) => void,
): Parts {
  const { Queue, Worker, QueueEvents } = bullmq;
  const parts = new Map<string, BullmqPart>();

  function partOf<Part extends BullmqPart>(kind: string, definition: string, create: () => Part): Part {
    const key = `${kind} ${definition}`;
    const known = parts.get(key);
    // Each kind has one type.
    if (known !== undefined) return known as Part;
    const part = create();
    parts.set(key, part);
    // The calls report it too. Without a listener, Node.js ends the process.
    part.on("error", () => {});
    part.waitUntilReady().catch(() => void (parts.get(key) === part && parts.delete(key)));
    return part;
  }

  return {
    queueOf: (definition) =>
      partOf("queue", definition, () => new Queue(toSafeName(definition), { connection, prefix })),
    workerOf: (definition) => {
      const name = toSafeName(definition);
      partOf("events", definition, () => {
        const events = new QueueEvents(name, { connection, prefix });
        events.on("waiting", () => onWaiting(definition));
        return events;
      });
      return partOf("worker", definition, () => {
        const removed = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } };
        const worker = new Worker(name, null, { connection, prefix, autorun: false, ...removed });
        // Returns the jobs of workers that died between the receipt and the acknowledgment.
        worker.startStalledCheckTimer().catch(() => {});
        return worker;
      });
    },
    close: async () => {
      // Without a limit, an instance that is connecting again would wait until Redis is back.
      await Promise.all([...parts.values()].map((part) => call(() => part.close(true)).catch(() => {})));
      parts.clear();
    },
  };
}
