import type { CheckedProcessor } from "./processors.js";

/** Counts attempts in progress, in total and per definition. */
export interface Slots {
  /** Number of attempts in progress. */
  readonly taken: number;
  /** Returns how many attempts may begin now, by definition. Definitions without a free slot are left out. */
  free(): ReadonlyMap<string, number>;
  /** Returns whether a definition has no free slot. */
  isFull(definition: string): boolean;
  take(definition: string): void;
  release(definition: string): void;
}

/** Creates the slots of a worker, `concurrency` in total. */
export function createSlots(processors: ReadonlyMap<string, CheckedProcessor>, concurrency: number): Slots {
  const takenBy = new Map<string, number>([...processors.keys()].map((name) => [name, 0]));
  let taken = 0;
  const freeOf = (name: string, { settings }: CheckedProcessor): number =>
    Math.min(concurrency - taken, settings.concurrency - (takenBy.get(name) ?? 0));
  const add = (definition: string, by: 1 | -1): void => {
    taken += by;
    takenBy.set(definition, (takenBy.get(definition) ?? 0) + by);
  };
  return {
    get taken() {
      return taken;
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
    release: (definition) => add(definition, -1),
  };
}
