import { attemptToken } from "../contract/operation.js";
import type { BegunOperation, Claimed, ClaimedDefinition } from "../ports/claim.js";
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

/**
 * Claims work for these free slots, by definition, and starts the attempts that the store has begun. If the answer to the last
 * call was lost, these are the attempts of that one. Make one call at a time.
 */
export type ClaimWork = (free: ReadonlyMap<string, number>) => Promise<Claimed>;

/** Parts of a worker that start the attempts. */
interface ClaimParts {
  readonly slots: Slots;
  readonly attempt: HandleAttempt;
  /** The attempts in progress. They never reject. */
  readonly running: Set<Promise<unknown>>;
}

/** Creates the function that claims work. */
export function createClaimer(context: WorkerContext, { slots, attempt, running }: ClaimParts): ClaimWork {
  const { processors, runtime, process, suspects, backend, minutes } = context;
  /** Token of a claim whose answer was lost. */
  let unanswered: string | undefined;
  let turn = 0;

  function request(name: string, free: number): ClaimedDefinition[] {
    const processor = processors.get(name);
    if (processor === undefined) return [];
    const { create, definition, settings } = processor;
    return [
      {
        name,
        slots: free,
        leaseMs: settings.leaseMs,
        creates: create !== undefined,
        limits: definition.limits,
        lanes: definition.serialBy !== undefined,
        suspects: suspects.mayBegin(name) ? 1 : 0,
      },
    ];
  }

  /** Takes a slot for an attempt until it has ended. */
  function start({ operation, previousLost }: BegunOperation, token: string): void {
    const { id: operationId, definition } = operation;
    const end = (): void => {
      running.delete(started);
      slots.release(definition);
    };
    slots.take(definition);
    // An attempt that fails must not affect the others or the process.
    const started = attempt({ lease: { operationId, token }, operation, previousLost }).then(
      end,
      (error: unknown) => {
        reportError(context, "attempt", error);
        end();
      },
    );
    running.add(started);
  }

  return async (free) => {
    const repeated = unanswered !== undefined;
    // The attempts of a lost answer already have their slots.
    const asked: ReadonlyMap<string, number> = repeated
      ? new Map([...processors.keys()].map((name) => [name, 1]))
      : free;
    // The definitions take turns at being first, so each of them gets work even if only one slot is free.
    const definitions = rotated([...asked], turn++).flatMap(([name, count]) => request(name, count));
    const token =
      unanswered ?? attemptToken({ startedAt: runtime.clock.now(), process: process() }, runtime.newToken());
    unanswered = token;
    const claimed = await backend.operations.claim({ token, definitions, limit: slots.left, repeated });
    unanswered = undefined;
    minutes?.cancelled(claimed.ended);
    for (const begun of claimed.begun) start(begun, token);
    return claimed;
  };
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = by % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
