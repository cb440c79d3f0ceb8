import { suggestName } from "./closest-name.js";
import { AsyncReplyError, textOf } from "./errors.js";

/** Creates the error for a mistake in the arguments of a function of this package. */
export function misuse(detail: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_OPTION", detail);
}

/** Creates the error that every bad option throws at construction. It names the option and the value. */
export function invalidOption(name: string, expected: string, value: unknown): AsyncReplyError {
  return misuse(`Option \`${name}\` must be ${expected}, not ${shown(value)}.`);
}

/** The names of all members of an options type. The compiler proves that a table of this type is complete. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Checks that options are an object without unknown names. Members that are `undefined` count as absent.
 *
 * @param options what the caller passed
 * @param known the names that exist
 * @param owner the function that takes the options, such as `createWorker`
 * @param prefix the option that holds these options, such as `backoff`. Default: none.
 * @throws AsyncReplyError `INVALID_OPTION`, suggesting the closest known name
 */
export function checkOptions(
  options: unknown,
  known: Readonly<Record<string, true>>,
  owner: string,
  prefix?: string,
): void {
  if (!isObject(options))
    throw prefix === undefined
      ? misuse(`The options of ${owner} must be an object, not ${shown(options)}.`)
      : invalidOption(prefix, "an object", options);
  const path = (name: string): string => (prefix === undefined ? name : `${prefix}.${name}`);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const suggestion = suggestName("options", path(name), Object.keys(known).map(path));
    throw misuse(`Unknown option \`${path(name)}\` of ${owner}. ${suggestion}`);
  }
}

/** Whether a value is an object that is neither a list nor a function. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isList(value);
}

function isList(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    // A proxy that was revoked.
    return false;
  }
}

/** Returns what kind of value was passed, for messages about options whose values may be secrets. */
export function kindOf(value: unknown): string {
  return typeof value === "string" ? "a string" : shown(value);
}

/** Returns how a message shows a value. Objects are not quoted: they may be large, and they may hold secrets. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return textOf(value);
  return isList(value) ? "a list" : "an object";
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

/** The longest duration that stores must support: 100 years. */
export const MAX_DURATION_MS = 3_155_760_000_000;

/** Checks a duration in milliseconds that no timer counts: like {@link positiveInteger}, but at most 100 years. */
export function longDurationMs(name: string, value: number | undefined, fallback: number): number {
  const ms = positiveInteger(name, value, fallback);
  if (ms <= MAX_DURATION_MS) return ms;
  const detail = `Option \`${name}\` is ${ms}; pass at most ${MAX_DURATION_MS} (100 years).`;
  throw new AsyncReplyError("INVALID_OPTION", detail);
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
