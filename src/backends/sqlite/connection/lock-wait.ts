import { pause } from "../../../batching/back-off.js";
import type { Runtime } from "../../../ports/runtime.js";

/** Waits for the lock of a database that another connection holds. */
export interface LockWait {
  /** Returns how long this process has waited for the lock so far, in all waits. Milliseconds. */
  waitedMs(): number;
  /** Waits before the next try. Waits grow until {@link taken} is called. */
  wait(): Promise<void>;
  /** Called when the lock was taken. */
  taken(): void;
}

const FIRST_MS = 1;
const LONGEST_MS = 25;

/**
 * Creates the wait. The `busy_timeout` of SQLite would sleep, and block the event loop. Waits are random, so that a
 * process that writes all the time does not always win.
 */
export function createLockWait({ clock, random }: Pick<Runtime, "clock" | "random">): LockWait {
  let waitedMs = 0;
  let nextMs = FIRST_MS;
  return {
    waitedMs: () => waitedMs,
    wait: async () => {
      const ms = nextMs * (0.5 + random() / 2);
      nextMs = Math.min(nextMs * 2, LONGEST_MS);
      await pause(ms, clock);
      waitedMs += ms;
    },
    taken: () => {
      nextMs = FIRST_MS;
    },
  };
}
