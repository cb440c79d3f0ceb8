import { AsyncReplyError } from "../../contract/errors.js";

/** The error for something that is not there, or not for this caller. */
export function notFound(): AsyncReplyError {
  return new AsyncReplyError("NOT_FOUND", "There is no such resource.");
}

/** The error for a method that a resource does not have. */
export function methodNotAllowed(allow: string): AsyncReplyError {
  return new AsyncReplyError("METHOD_NOT_ALLOWED", `The methods allowed here are ${allow}.`, {
    headers: { allow },
  });
}
