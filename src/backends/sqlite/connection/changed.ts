/** Ids of the operations that a transaction writes. Watchers learn of them after the commit. */
export interface Changed {
  /** New operations, which no other process knows. */
  readonly created: Set<string>;
  /** Operations that existed before. */
  readonly changed: Set<string>;
  /** Running operations whose cancellation was requested. */
  readonly cancelled: Set<string>;
}

/** Creates the sets of a transaction. */
export function createChanged(): Changed {
  return { created: new Set(), changed: new Set(), cancelled: new Set() };
}
