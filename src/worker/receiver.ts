import type { Consumer, Delivery, ReceiveRequest } from "../ports/queue.js";
import { reportError, type WorkerContext } from "./context.js";
import type { Slots } from "./slots.js";

/** Receives deliveries for the free slots of a worker, with its own consumer. */
export interface Receiver {
  /** Receives into these free slots. Make one call at a time. Rejects if the queue cannot be reached. */
  receive(free: ReadonlyMap<string, number>, signal: AbortSignal): Promise<readonly Delivery[]>;
  /** Takes a slot for a delivery until it is settled, and calls `ended` before the slot is free. Never rejects. */
  handle(delivery: Delivery, ended: () => void): Promise<void>;
  /** Releases what its consumer holds in the queue. Reports an error of the queue, and never rejects. */
  close(): Promise<void>;
}

/**
 * Creates a receiver. It opens its consumer on first use.
 *
 * @param attempt Takes a delivery from its receipt to its settlement.
 */
export function createReceiver(
  context: WorkerContext,
  slots: Slots,
  attempt: (delivery: Delivery) => Promise<void>,
): Receiver {
  const { processors, runtime, suspects, backend } = context;
  let consumer: Consumer | undefined;
  let token: string | undefined;

  function open(): Consumer {
    const definitions = [...processors].map(([name, { create, definition, settings }]) => {
      const { concurrency, leaseMs } = settings;
      return {
        name,
        concurrency,
        leaseMs,
        creates: create !== undefined,
        limits: definition.limits,
        lanes: definition.serialBy !== undefined,
      };
    });
    return backend.queue.consume({ definitions });
  }

  /** Returns the definitions of which a suspect may begin. Absent if these are all. */
  function admittedSuspects(): Pick<ReceiveRequest, "suspects"> | undefined {
    const names = [...processors.keys()];
    if (names.every(suspects.mayBegin)) return undefined;
    return { suspects: new Set(names.filter(suspects.mayBegin)) };
  }

  return {
    receive: async (free, signal) => {
      const limit = slots.left;
      const suspected = suspects.next(free, limit);
      if (suspected.length > 0) return suspected;
      consumer ??= open();
      // Kept until there is an answer: if it is lost, the same token makes the queue return the attempts that it began.
      token ??= runtime.newToken();
      const deliveries = await consumer.receive({ slots: free, limit, token, signal, ...admittedSuspects() });
      token = undefined;
      return deliveries;
    },
    handle: (delivery, ended) => {
      const { definition } = delivery.announcement;
      const release = (): void => {
        ended();
        slots.release(definition);
      };
      slots.take(definition);
      // A delivery that fails must not affect the others or the process.
      return attempt(delivery).then(release, (error: unknown) => {
        reportError(context, "attempt", error);
        release();
      });
    },
    close: async () => {
      try {
        await consumer?.close();
      } catch (error) {
        reportError(context, "receive", error);
      }
    },
  };
}
