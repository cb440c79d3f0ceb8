import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";

/**
 * Turns a store failure during recording into `SUBMISSION_UNCERTAIN`, which tells the client that repeating the
 * request with its key is safe. If the store is certain that nothing was recorded, the code stays and the event says
 * so. Returns any other error unchanged.
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
    "The request may have been accepted. To get the same operation, repeat it with the same Idempotency-Key.";
  return new AsyncReplyError("SUBMISSION_UNCERTAIN", detail, { cause: error });
}
