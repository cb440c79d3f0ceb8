import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { adoptPromise } from "../contract/promises.js";
import type { Observer } from "../ports/observer.js";

/** Returns an observer that never throws. Its events do not contain what clients sent. */
export function shielded(observer: Observer): Observer {
  return (event) => {
    try {
      const shown = "error" in event ? { ...event, error: withoutPayload(event.error) } : event;
      const told: unknown = adoptPromise<unknown>(observer(shown));
      // An async observer that rejects would crash the process.
      if (told instanceof Promise) told.catch(() => {});
    } catch {
      // The observer itself failed; there is nowhere left to report it.
    }
  };
}

/**
 * Returns the error as events contain it. Text that quotes a payload is only for the client, so logs get the number of
 * violations instead.
 */
function withoutPayload(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, detail, context } = error;
  const { cause, violations, eventDetail } = context;
  if (eventDetail === undefined && code !== "CONTRACT_VIOLATION") return error;
  const count = violations === undefined ? "" : ` ${violations.length} violations.`;
  return new AsyncReplyError(code, (eventDetail ?? detail) + count, { cause });
}
