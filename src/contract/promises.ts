/** What users' functions may return: a value, or anything that `await` would wait for. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * Returns a plain value as it is, and everything with a callable `then` as a native promise: thenables and promises of
 * another realm too, which are not `instanceof Promise`. A plain value costs no promise and no turn of the event loop.
 */
export function adoptPromise<T>(answer: MaybePromise<T>): T | Promise<T> {
  return isThenable(answer) ? Promise.resolve(answer) : answer;
}

function isThenable<T>(answer: MaybePromise<T>): answer is PromiseLike<T> {
  const isObject = (typeof answer === "object" && answer !== null) || typeof answer === "function";
  return isObject && typeof (answer as Partial<PromiseLike<T>>).then === "function";
}
