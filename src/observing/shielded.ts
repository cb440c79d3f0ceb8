import { adoptPromise } from "../contract/promises.js";
import { withoutPayload } from "../contract/without-payload.js";
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
