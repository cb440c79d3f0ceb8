import { AsyncReplyError } from "./errors.js";

/** Makes the error that every bad option throws at construction: it names the option and the value. */
export function invalidOption(name: string, expected: string, value: unknown): AsyncReplyError {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return new AsyncReplyError("INVALID_OPTION", `Option \`${name}\` must be ${expected}, not ${shown}.`);
}

/**
 * Checks a whole number of at least 1, or returns the default when the option is left out. A limit that is
 * silently NaN or Infinity is no limit at all, so nothing is coerced.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function positiveInteger(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw invalidOption(name, "a whole number greater than 0", value);
}

/** Checks a duration in milliseconds: like {@link positiveInteger}, but at most the 24.8 days that timers can count. */
export function durationMs(name: string, value: number | undefined, fallback: number): number {
  const ms = positiveInteger(name, value, fallback);
  if (ms <= 2 ** 31 - 1) return ms;
  throw invalidOption(name, "at most 2147483647 milliseconds (24.8 days)", value);
}

/** Checks a function that must be given, or that may be left out where `optional` says so. */
export function checkFunction(
  name: string,
  value: unknown,
  options: { readonly optional?: boolean } = {},
): void {
  if (typeof value === "function" || (options.optional === true && value === undefined)) return;
  throw invalidOption(name, "a function", value);
}
