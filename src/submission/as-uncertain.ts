import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";

/**
 * Turns a failure of a store in the middle of recording into what the client must know: the outcome is uncertain, and
 * repeating the request with its key is safe. If the store is certain that nothing was recorded, only the event says so. Any
 * other error is returned as it is.
 */
export function asUncertain(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, context } = error;
  if (code !== "STORE_UNAVAILABLE" && code !== "OVERLOADED") return error;
  if (context.recorded === "no") {
    const eventDetail = `${context.eventDetail ?? error.detail} Nothing was recorded.`;
    return new AsyncReplyError(code, error.detail, { ...context, eventDetail });
  }
  const detail =
    "The request may have been accepted. Repeated with the same Idempotency-Key it gives the same operation.";
  return new AsyncReplyError("SUBMISSION_UNCERTAIN", detail, { cause: error });
}
