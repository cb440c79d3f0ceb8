import type { Work } from "./processors.js";

/** Counts attempts in progress, over all definitions and for each. */
export interface Slots {
  /** Attempts in progress. */
  readonly taken: number;
  /** How many attempts may begin now, by definition. Empty if none may. */
  free(): ReadonlyMap<string, number>;
  /** Whether a definition has reached its own limit while others may go on. */
  isFull(definition: string): boolean;
  take(definition: string): void;
  release(definition: string): void;
}

/** Creates the slots of a worker with this many in all. */
export function createSlots(works: ReadonlyMap<string, Work>, concurrency: number): Slots {
  const takenBy = new Map<string, number>([...works.keys()].map((name) => [name, 0]));
  let taken = 0;
  const freeOf = (name: string, { settings }: Work): number =>
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
        [...works].map(([name, work]) => [name, freeOf(name, work)] as const).filter(([, free]) => free > 0),
      ),
    isFull: (definition) => {
      const work = works.get(definition);
      return work !== undefined && freeOf(definition, work) <= 0;
    },
    take: (definition) => add(definition, 1),
    release: (definition) => add(definition, -1),
  };
}
