/** Return type of users' functions: a value, or anything that `await` waits for. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * Returns a plain value unchanged, and everything with a callable `then` as a native promise. That includes thenables
 * and promises of another realm, which are not `instanceof Promise`. A plain value costs no promise and no turn of the
 * event loop.
 */
export function adoptPromise<T>(answer: MaybePromise<T>): T | Promise<T> {
  return isThenable(answer) ? Promise.resolve(answer) : answer;
}

function isThenable<T>(answer: MaybePromise<T>): answer is PromiseLike<T> {
  const isObject = (typeof answer === "object" && answer !== null) || typeof answer === "function";
  return isObject && typeof (answer as Partial<PromiseLike<T>>).then === "function";
}
