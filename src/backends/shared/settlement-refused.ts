import { AsyncReplyError } from "../../contract/errors.js";

/** Returns the error of a transaction whose settlement the store refuses to keep, and would refuse again. */
export function settlementRefused(cause: unknown): AsyncReplyError {
  return new AsyncReplyError("INVALID_RESULT", "The store refused it.", { cause });
}
