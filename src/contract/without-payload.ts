import { AsyncReplyError, isAsyncReplyError } from "./errors.js";

/**
 * Returns an error as events, logs and tracing channels contain it. Text that quotes a payload is only for the client:
 * the `detail`, if the error has another one for events, and the violations.
 */
export function withoutPayload(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, detail, context } = error;
  const { cause, violations, eventDetail } = context;
  if (eventDetail !== undefined) return new AsyncReplyError(code, eventDetail, { cause });
  // A format of a user may throw violations without a text for events.
  if (code !== "CONTRACT_VIOLATION") return error;
  return new AsyncReplyError(code, `${detail} ${violations?.length ?? 0} violations.`, { cause });
}
