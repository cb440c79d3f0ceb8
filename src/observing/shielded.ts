import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import { adoptPromise } from "../contract/promises.js";
import type { Observer } from "../ports/observer.js";

/** Shields the caller from an observer that throws, and the observer from what clients send. */
export function shielded(observer: Observer): Observer {
  return (event) => {
    try {
      const shown = "error" in event ? { ...event, error: withoutPayload(event.error) } : event;
      const told: unknown = adoptPromise<unknown>(observer(shown));
      // An async observer would end the process when it rejects.
      if (told instanceof Promise) told.catch(() => {});
    } catch {
      // The observer itself failed; there is nowhere left to report it.
    }
  };
}

/** The error as events carry it. What names a part of a payload is for its client: logs get the number of violations. */
function withoutPayload(error: unknown): unknown {
  if (!isAsyncReplyError(error)) return error;
  const { code, detail, context } = error;
  const { cause, violations, eventDetail } = context;
  if (eventDetail === undefined && code !== "CONTRACT_VIOLATION") return error;
  const count = violations === undefined ? "" : ` ${violations.length} violations.`;
  return new AsyncReplyError(code, (eventDetail ?? detail) + count, { cause });
}
