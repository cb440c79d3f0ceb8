import type { Announcement } from "../../ports/announcement.js";
import type { Delivery } from "../../ports/queue.js";
import type { BrokerSettings } from "./settings.js";

/** Answers to one message. */
interface MessageHandle {
  /** Removes the message from the broker. */
  readonly accept: () => Promise<void>;
  /** Gives the message back to the broker, which delivers it again at once. */
  readonly giveBack: () => Promise<void>;
}

/** Deliveries of one consumer. */
export interface Deliveries {
  /** Creates a delivery of a message. Only its first `ack` or `nack` counts. */
  create(announcement: Announcement, message: MessageHandle): Delivery;
  /** Returns all messages that wait for their next delivery to the broker. Later nacks return theirs at once. */
  close(): Promise<void>;
  /** Resolves when every delivery has been acked or nacked. */
  settled(): Promise<void>;
}

/**
 * Creates the deliveries of a consumer on a broker without delays. A nacked message stays with the consumer for
 * `retryDelayMs`, so that a store that is down is not asked in a loop. If the process dies, the broker delivers it
 * again.
 */
export function createDeliveries({
  retryDelayMs,
  runtime,
  observe,
}: Pick<BrokerSettings, "retryDelayMs" | "runtime" | "observe">): Deliveries {
  const waiting = new Set<() => Promise<void>>();
  let closed = false;
  let open = 0;
  let allSettled: () => void = () => {};

  const settling = (run: () => Promise<void>) => async (): Promise<void> => {
    try {
      await run();
    } finally {
      open -= 1;
      if (open === 0) allSettled();
    }
  };

  const later = async (giveBack: () => Promise<void>): Promise<void> => {
    if (closed) return giveBack();
    const now = (): Promise<void> => {
      cancel();
      waiting.delete(now);
      // The message is not lost: the broker or the sweep delivers it again.
      return giveBack().catch((error: unknown) => {
        observe({ event: "background.failed", step: "nack", error });
      });
    };
    const cancel = runtime.clock.schedule(retryDelayMs, () => void now());
    waiting.add(now);
  };

  return {
    create: (announcement, { accept, giveBack }) => {
      open += 1;
      const once = onlyOnce();
      const ack = settling(accept);
      const nack = settling(() => later(giveBack));
      return { announcement, ack: () => once(ack), nack: () => once(nack) };
    },
    close: async () => {
      closed = true;
      await Promise.all([...waiting].map((giveBack) => giveBack()));
    },
    settled: async () => {
      if (open === 0) return;
      await new Promise<void>((resolve) => {
        allSettled = resolve;
      });
    },
  };
}

/** Returns a function that runs only the first function that it gets. Later calls have the same outcome. */
export function onlyOnce(): (run: () => Promise<void>) => Promise<void> {
  let outcome: Promise<void> | undefined;
  return (run) => {
    outcome ??= run();
    return outcome;
  };
}
