import type { Clock } from "../ports/runtime.js";

/** Waits for a promise at most `ms`. What comes later, an error included, is dropped; the work behind it goes on. */
export function withinTime<T>(
  promise: PromiseLike<T>,
  ms: number,
  clock: Clock,
  tooLate: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let cancel: (() => void) | undefined;
    promise.then(
      (value) => {
        settled = true;
        cancel?.();
        resolve(value);
      },
      (error: unknown) => {
        settled = true;
        cancel?.();
        reject(error);
      },
    );
    // A promise that has settled already calls back before this, and needs no timer.
    queueMicrotask(() => {
      if (!settled) cancel = clock.schedule(ms, () => reject(tooLate()));
    });
  });
}
