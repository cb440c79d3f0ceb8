import { AsyncReplyError } from "../../../contract/errors.js";
import type { Clock } from "../../../ports/runtime.js";

/** Waits for an answer, but not forever. The work behind it goes on. @throws AsyncReplyError `STORE_UNAVAILABLE` */
export type WithinTime = <T>(answer: Promise<T>) => Promise<T>;

interface Waiting {
  /** How many ticks there had been when the wait began. */
  readonly since: number;
  readonly giveUp: (error: AsyncReplyError) => void;
}

/** Number of ticks in a limit. A wait can take one tick longer than its limit. */
const TICKS = 8;

/**
 * Creates a time limit with one timer for all calls that wait, oldest first: a timer for each would cost as much as the rest of
 * a call. It counts ticks instead of reading the time, so a clock that is set meanwhile changes nothing.
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

  /** Cancels the timer with the last wait, because a timer would keep the process alive. */
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
