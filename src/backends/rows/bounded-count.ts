import type { BoundedCount } from "../../ports/operation-store.js";

/** Highest count that is reported. Stores count up to one more, which means that there are more. */
export const MAX_COUNT = 10_000;

/** Returns a count that stops at {@link MAX_COUNT}. */
export function toBoundedCount(count: number): BoundedCount {
  return { count: Math.min(count, MAX_COUNT), more: count > MAX_COUNT };
}
