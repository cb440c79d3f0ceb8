import type { Operation } from "../contract/operation.js";

/** A state of an operation, shared by all who wait for it. */
export interface Snapshot {
  readonly operation: Operation;
  /** Returns what `create` returned for this key the first time. One key always stands for one type. */
  once<Made>(key: object, create: () => Made): Made;
}

/** Creates a snapshot. It keeps everything that `once` makes for as long as it lives itself. */
export function createSnapshot(operation: Operation): Snapshot {
  let made: Map<object, unknown> | undefined;
  return {
    operation,
    once: <Made>(key: object, create: () => Made) => {
      made ??= new Map();
      if (!made.has(key)) made.set(key, create());
      return made.get(key) as Made;
    },
  };
}
