import type { Clock } from "../ports/runtime.js";

/** Waits for a promise for at most `ms` milliseconds. Ignores what comes later. Does not stop the work itself. */
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
    // A promise that has already settled calls back before this, and needs no timer.
    queueMicrotask(() => {
      if (!settled) cancel = clock.schedule(ms, () => reject(tooLate()));
    });
  });
}
