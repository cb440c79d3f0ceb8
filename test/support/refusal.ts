import { expect } from "vitest";
import { type AsyncReplyError, isAsyncReplyError } from "../../src/contract/errors.js";

/** Returns the `AsyncReplyError` that a call throws. Fails if it throws nothing, and rethrows any other error. */
export function refusalOf(run: () => unknown): AsyncReplyError {
  try {
    run();
  } catch (error) {
    if (isAsyncReplyError(error)) return error;
    throw error;
  }
  return expect.unreachable("the call did not throw");
}

/** Sorts the known options at the end of a message, because their order promises nothing. */
export function withSortedOptions(detail: string): string {
  return detail.replace(/(?<=Known options: ).+(?=\.$)/, (names) => names.split(", ").sort().join(", "));
}
