import type { Clock } from "../ports/runtime.js";

/** Resolves after this time. Milliseconds. */
export function pause(ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.schedule(ms, resolve));
}
