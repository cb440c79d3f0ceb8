import type { CallBroker } from "../shared/calls.js";
import type { BullmqPart } from "./bullmq.js";

/** An instance of one of BullMQ's classes. */
export interface Part<Instance> {
  /** Returns the instance, or creates it. */
  get(): Instance;
  /** Closes the instance. Never rejects. */
  close(): Promise<void>;
}

/**
 * Creates the keeper of an instance. An instance whose connection could not be set up never works again, so the next use
 * creates another one.
 *
 * @param onError Called with each error of the connection.
 */
export function createPart<Instance extends BullmqPart>(
  create: () => Instance,
  call: CallBroker,
  onError: (error: unknown) => void = () => {},
): Part<Instance> {
  let current: Instance | undefined;
  return {
    get: () => {
      if (current !== undefined) return current;
      const created = create();
      current = created;
      // Without a listener, Node.js ends the process.
      created.on("error", onError);
      created.waitUntilReady().catch(() => {
        if (current === created) current = undefined;
      });
      return created;
    },
    close: async () => {
      const last = current;
      current = undefined;
      // Without a limit, an instance that is connecting again would wait until Redis is back.
      if (last !== undefined) await call(() => last.close(true)).catch(() => {});
    },
  };
}
