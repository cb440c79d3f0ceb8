import type { BegunOperation } from "../ports/claim.js";
import type { HandleAttempt } from "./attempt/attempt.js";
import { reportError, type WorkerContext } from "./context.js";
import type { CheckedProcessor } from "./processors.js";

/** Counts attempts in progress, in total and per definition. */
export interface Slots {
  /** Returns how many attempts may begin now, across all definitions. */
  readonly left: number;
  /** Number of slots that have become free so far. */
  readonly freed: number;
  /** Returns how many attempts may begin now, by definition. Definitions without a free slot are left out. */
  free(): ReadonlyMap<string, number>;
  /** Returns whether a definition has no free slot. */
  isFull(definition: string): boolean;
  take(definition: string): void;
  release(definition: string): void;
  /** Calls the listener with the definition of each slot that becomes free. Returns a function that removes it. */
  onFree(listener: (definition: string) => void): () => void;
}

/** Creates the slots of a worker, `concurrency` in total. */
export function createSlots(processors: ReadonlyMap<string, CheckedProcessor>, concurrency: number): Slots {
  const takenBy = new Map<string, number>([...processors.keys()].map((name) => [name, 0]));
  const listeners = new Set<(definition: string) => void>();
  let taken = 0;
  let freed = 0;
  const freeOf = (name: string, { settings }: CheckedProcessor): number =>
    Math.min(concurrency - taken, settings.concurrency - (takenBy.get(name) ?? 0));
  const add = (definition: string, by: 1 | -1): void => {
    taken += by;
    takenBy.set(definition, (takenBy.get(definition) ?? 0) + by);
  };
  return {
    get left() {
      return concurrency - taken;
    },
    get freed() {
      return freed;
    },
    free: () =>
      new Map(
        [...processors]
          .map(([name, processor]) => [name, freeOf(name, processor)] as const)
          .filter(([, free]) => free > 0),
      ),
    isFull: (definition) => {
      const processor = processors.get(definition);
      return processor !== undefined && freeOf(definition, processor) <= 0;
    },
    take: (definition) => add(definition, 1),
    release: (definition) => {
      add(definition, -1);
      freed += 1;
      for (const listener of listeners) listener(definition);
    },
    onFree: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Takes a slot for an attempt until it has ended, and calls `ended` before the slot is free. Never rejects. */
export type StartAttempt = (begun: BegunOperation, token: string, ended: () => void) => Promise<void>;

/** Creates the function that starts what a claim has begun. */
export function createStarts(context: WorkerContext, slots: Slots, attempt: HandleAttempt): StartAttempt {
  return ({ operation, previousLost }, token, ended) => {
    const { id: operationId, definition } = operation;
    const release = (): void => {
      ended();
      slots.release(definition);
    };
    slots.take(definition);
    // An attempt that fails must not affect the others or the process.
    return attempt({ lease: { operationId, token }, operation, previousLost }).then(
      release,
      (error: unknown) => {
        reportError(context, "attempt", error);
        release();
      },
    );
  };
}
