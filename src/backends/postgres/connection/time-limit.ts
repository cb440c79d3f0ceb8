import { AsyncReplyError } from "../../../contract/errors.js";
import type { Clock } from "../../../ports/runtime.js";

/** Waits for an answer up to a time limit. The work itself continues. Throws `STORE_UNAVAILABLE`. */
export type WithinTime = <T>(answer: Promise<T>) => Promise<T>;

interface Waiting {
  /** Number of ticks before the wait began. */
  readonly since: number;
  readonly giveUp: (error: AsyncReplyError) => void;
}

/** Number of ticks in the limit. A wait can exceed the limit by one tick. */
const TICKS = 8;

/**
 * Creates a time limit of `ms` milliseconds with one timer for all waiting calls, because a timer for each would cost
 * as much as the rest of the call. It counts ticks instead of reading the time, so changes of the clock have no
 * effect.
 */
export function createTimeLimit(ms: number, clock: Clock): WithinTime {
  const waiting = new Set<Waiting>();
  let ticks = 0;
  let cancelTick: (() => void) | undefined;

  function tickLater(): void {
    cancelTick = clock.schedule(ms / TICKS, tick);
  }

  function tick(): void {
    ticks += 1;
    for (const each of waiting) {
      if (ticks - each.since <= TICKS) break;
      waiting.delete(each);
      each.giveUp(new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time."));
    }
    if (waiting.size > 0) tickLater();
    else cancelTick = undefined;
  }

  /** Ends a wait. Cancels the timer after the last one, because a timer would keep the process alive. */
  function end(entry: Waiting): void {
    waiting.delete(entry);
    if (waiting.size > 0) return;
    cancelTick?.();
    cancelTick = undefined;
  }

  return (answer) =>
    new Promise((resolve, reject) => {
      const entry: Waiting = { since: ticks, giveUp: reject };
      waiting.add(entry);
      if (cancelTick === undefined) tickLater();
      answer.then(
        (value) => {
          end(entry);
          resolve(value);
        },
        (error: unknown) => {
          end(entry);
          reject(error);
        },
      );
    });
}
