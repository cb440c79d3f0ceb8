import { withoutPayload } from "../contract/contract-violation.js";
import { adoptPromise, invalidOption } from "../contract/options.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import { createConsoleObserver } from "./console-observer.js";

/**
 * Returns the observer for an `observe` option. It never throws.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param observe A function, `false` for silence, or `undefined` for the console.
 */
export function toObserver(observe: Observer | false | undefined, clock: Clock): Observer {
  if (observe === false) return () => {};
  if (observe === undefined) return shielded(createConsoleObserver(clock));
  if (typeof observe !== "function")
    throw invalidOption("observe", "a function, or `false` for silence", observe);
  return shielded(observe);
}

/** Returns an observer that never throws. Its events do not contain what clients sent. */
function shielded(observer: Observer): Observer {
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
