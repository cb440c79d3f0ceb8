import type { OperationStore } from "../../ports/operation-store.js";
import type { Clock } from "../../ports/runtime.js";
import type { Subscriber, Subscribers } from "./reader.js";

const POLL_MS = 5_000;
/** For stores that send no notifications. */
const POLL_WITHOUT_WATCH_MS = 1_000;

/** Returns how often operations and outputs with waiting callers are read without a notification. Milliseconds. */
export function pollMsOf({ watch }: Pick<OperationStore, "watch">): number {
  return watch === undefined ? POLL_WITHOUT_WATCH_MS : POLL_MS;
}

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
