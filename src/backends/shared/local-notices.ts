import type { Queue } from "../../ports/queue.js";
import type { Clock } from "../../ports/runtime.js";

/** The workers of this process that hear rings. */
export interface Listeners {
  readonly listen: Queue["listen"];
  /** Rings for definitions, by default for all. */
  ring(definitions?: ReadonlySet<string>): void;
  /** Returns whether a worker of this process wants rings of a definition. */
  isWanted(definition: string): boolean;
}

/** Options of {@link createListeners}. */
export interface ListenersOptions {
  readonly clock: Clock;
  /** Interval at which workers hear a ring, because others can get lost. Milliseconds. Default: none. */
  readonly pollMs?: number | undefined;
  /** Called when a worker wants rings. */
  readonly onWant?: () => void;
}

/** Creates the listeners of a process. */
export function createListeners({ clock, pollMs, onWant }: ListenersOptions): Listeners {
  const listening = new Map<() => void, ReadonlySet<string>>();
  let cancelPoll: (() => void) | undefined;

  function ring(definitions?: ReadonlySet<string>): void {
    for (const [onRing, wanted] of listening)
      if (definitions === undefined ? wanted.size > 0 : [...wanted].some((name) => definitions.has(name)))
        onRing();
  }

  function pollLater(): void {
    if (pollMs === undefined || cancelPoll !== undefined || listening.size === 0) return;
    cancelPoll = clock.schedule(pollMs, () => {
      cancelPoll = undefined;
      ring();
      pollLater();
    });
  }

  return {
    ring,
    isWanted: (definition) => [...listening.values()].some((wanted) => wanted.has(definition)),
    listen: ({ onRing: listener }) => {
      // Each call has its own function, because a worker can listen twice.
      const onRing = (): void => listener();
      let isClosed = false;
      return {
        want: (definitions) => {
          if (isClosed) return;
          listening.set(onRing, definitions);
          if (definitions.size > 0) onWant?.();
          pollLater();
        },
        close: async () => {
          isClosed = true;
          listening.delete(onRing);
          if (listening.size > 0) return;
          cancelPoll?.();
          cancelPoll = undefined;
        },
      };
    },
  };
}

/** Creates a queue whose rings reach all workers of this process, and others only if the back end passes them on. */
export function createLocalQueue({ listen, ring }: Listeners): Queue {
  return {
    listen,
    publish: async (rings) => ring(new Set(rings.map(({ definition }) => definition))),
    close: async () => {},
  };
}

/** The watchers of operations in this process. */
export interface Watchers {
  /** Notifies the watchers of an operation, or without an id, that they may have missed notifications. */
  changed(operationId?: string): void;
  /** Calls `onChange` with the argument of each `changed`, until the returned function is called. */
  watch(onChange: (operationId?: string) => void): () => void;
}

/** Creates the watchers of a process. */
export function createWatchers(): Watchers {
  // The same function can watch twice.
  const watchers = new Set<{ readonly onChange: (operationId?: string) => void }>();
  return {
    changed: (operationId) => {
      for (const { onChange } of watchers) onChange(operationId);
    },
    watch: (onChange) => {
      const watcher = { onChange };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
