import type { OperationStore } from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import type { Subscriber, Subscribers } from "./reader.js";

/** Keeps subscribers, and notices changes of their operations. */
export interface Parking {
  readonly subscribers: Subscribers;
  /** Adds a subscriber. Returns a function that removes it. */
  park(id: string, subscriber: Subscriber): () => void;
  /** Stops watching the store. */
  close(): void;
}

/**
 * Creates an empty parking. It watches the store from the first subscriber until it is closed. Notifications can get
 * lost, so it also calls `look` for all operations every `pollMs` while there are subscribers. Milliseconds.
 */
export function createParking(
  operations: OperationStore,
  clock: Clock,
  pollMs: number,
  look: (id: string) => void,
): Parking {
  const subscribers = new Map<string, Set<Subscriber>>();
  let unwatch: (() => void) | undefined;
  let cancelPoll: (() => void) | undefined;

  function lookAtAll(): void {
    for (const id of subscribers.keys()) look(id);
  }

  function poll(): void {
    cancelPoll = clock.schedule(pollMs, poll);
    lookAtAll();
  }

  function stopPolling(): void {
    cancelPoll?.();
    cancelPoll = undefined;
  }

  return {
    subscribers,
    park: (id, subscriber) => {
      const alike = subscribers.get(id) ?? new Set();
      subscribers.set(id, alike.add(subscriber));
      unwatch ??= operations.watch?.((id) => (id === undefined ? lookAtAll() : look(id)));
      cancelPoll ??= clock.schedule(pollMs, poll);
      return () => {
        alike.delete(subscriber);
        if (alike.size === 0) subscribers.delete(id);
        if (subscribers.size === 0) stopPolling();
      };
    },
    close: () => {
      unwatch?.();
      stopPolling();
    },
  };
}
