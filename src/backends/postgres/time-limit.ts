import { AsyncReplyError } from "../../core/errors.js";

/** Waits so long for an answer, whatever becomes of the work behind it. @throws AsyncReplyError `STORE_UNAVAILABLE` */
export function withinTime<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const tooLate = (): void =>
      reject(new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time."));
    const timer = setTimeout(tooLate, ms);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
