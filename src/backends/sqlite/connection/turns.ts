import type { Lanes } from "./lanes.js";

/** Calls that wait for the writer, in the order in which they get a transaction. */
export interface Turns<Call extends { readonly bytes: number }> {
  /** Number of waiting calls. */
  readonly size: number;
  /** Adds a call that has a transaction for itself. */
  addAlone(call: Call): void;
  /** Adds calls whose shared transaction failed. Each of them runs next, alone in a transaction. */
  addApart(calls: readonly Call[]): void;
  /** Returns the calls of the next transaction. */
  next(): readonly Call[];
  /** Removes and returns the calls of {@link Turns.next}. */
  take(): readonly Call[];
  /** Removes and returns all calls for which `isGone` is true. */
  remove(isGone: (call: Call) => boolean): readonly Call[];
}

/** Creates the turns. Shared transactions of the lanes and calls that run alone alternate. */
export function createTurns<Call extends { readonly bytes: number }>(
  lanes: Pick<Lanes<Call>, "size" | "next" | "take" | "takeLate">,
): Turns<Call> {
  let apart: Call[] = [];
  let alone: Call[] = [];
  let wasAlone = false;

  const isAloneNext = (): boolean => alone.length > 0 && !(wasAlone && lanes.size > 0);

  return {
    get size() {
      return apart.length + alone.length + lanes.size;
    },
    addAlone: (call) => void alone.push(call),
    addApart: (calls) => void apart.push(...calls),
    next: () => {
      if (apart.length > 0) return apart.slice(0, 1);
      return isAloneNext() ? alone.slice(0, 1) : lanes.next();
    },
    take: () => {
      if (apart.length > 0) return apart.splice(0, 1);
      wasAlone = isAloneNext();
      return wasAlone ? alone.splice(0, 1) : lanes.take();
    },
    remove: (isGone) => {
      const gone = [...apart.filter(isGone), ...alone.filter(isGone), ...lanes.takeLate(isGone)];
      apart = apart.filter((call) => !isGone(call));
      alone = alone.filter((call) => !isGone(call));
      return gone;
    },
  };
}
