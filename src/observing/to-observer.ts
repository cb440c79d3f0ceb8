import { invalidOption } from "../contract/options.js";
import type { Observer } from "../ports/observer.js";
import type { Clock } from "../ports/runtime.js";
import { createConsoleObserver } from "./console-observer.js";
import { shielded } from "./shielded.js";

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
