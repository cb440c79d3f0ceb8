import { expect } from "vitest";
import { type AsyncReplyError, isAsyncReplyError } from "../src/contract/errors.js";

/** The error with which a call refuses. Fails where it refuses nothing; what is not ours passes through. */
export function refusalOf(run: () => unknown): AsyncReplyError {
  try {
    run();
  } catch (error) {
    if (isAsyncReplyError(error)) return error;
    throw error;
  }
  return expect.unreachable("nothing was refused");
}
