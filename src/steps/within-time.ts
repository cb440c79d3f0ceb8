import type { Clock } from "../ports/runtime.js";

/** Waits for a promise at most `ms`. What comes later, an error included, is dropped; the work behind it goes on. */
export function withinTime<T>(
  promise: Promise<T>,
  ms: number,
  clock: Clock,
  tooLate: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(ms, () => reject(tooLate()));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
