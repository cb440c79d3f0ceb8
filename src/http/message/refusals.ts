import { AsyncReplyError } from "../../contract/errors.js";

/** Returns the error for a resource that does not exist, or that this caller must not see. */
export function notFound(): AsyncReplyError {
  return new AsyncReplyError("NOT_FOUND", "There is no such resource.");
}

/** Returns the error for a method that the resource does not support. */
export function methodNotAllowed(allow: string): AsyncReplyError {
  return new AsyncReplyError(
    "METHOD_NOT_ALLOWED",
    `This method is not allowed here. Allowed methods: ${allow}.`,
    {
      headers: { allow },
    },
  );
}
