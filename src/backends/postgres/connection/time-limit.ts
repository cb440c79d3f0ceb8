import { AsyncReplyError } from "../../../contract/errors.js";

/** Waits for an answer, but not for ever, whatever becomes of the work behind it. @throws AsyncReplyError `STORE_UNAVAILABLE` */
export type WithinTime = <T>(answer: Promise<T>) => Promise<T>;

interface Waiting {
  readonly since: number;
  readonly giveUp: (error: AsyncReplyError) => void;
}

/** One timer for all who wait, oldest first: a timer for each would cost as much as the rest of a call. */
export function createTimeLimit(ms: number): WithinTime {
  const waiting = new Set<Waiting>();
  let ticking = false;

  function tickIn(delayMs: number): void {
    ticking = true;
    const timer: { unref?(): void } | number = setTimeout(tick, delayMs);
    // What is waited for keeps the process alive by itself.
    if (typeof timer === "object") timer.unref?.();
  }

  function tick(): void {
    ticking = false;
    const now = performance.now();
    for (const each of waiting) {
      const leftMs = each.since + ms - now;
      if (leftMs > 0) {
        tickIn(leftMs);
        return;
      }
      waiting.delete(each);
      each.giveUp(new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time."));
    }
  }

  return (answer) =>
    new Promise((resolve, reject) => {
      const entry: Waiting = { since: performance.now(), giveUp: reject };
      waiting.add(entry);
      if (!ticking) tickIn(ms);
      answer.then(
        (value) => {
          waiting.delete(entry);
          resolve(value);
        },
        (error: unknown) => {
          waiting.delete(entry);
          reject(error);
        },
      );
    });
}
