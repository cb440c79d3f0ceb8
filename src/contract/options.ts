import { suggestName } from "./closest-name.js";
import { AsyncReplyError } from "./errors.js";

/** Creates an error for wrong arguments of a function of this package. */
export function misuse(detail: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_OPTION", detail);
}

/** Creates an error for an option with a wrong value. The message names the option, what is expected, and the value. */
export function invalidOption(name: string, expected: string, value: unknown): AsyncReplyError {
  return misuse(`Option \`${name}\` must be ${expected}, not ${shown(value)}.`);
}

/** Names of all members of an options type. The compiler checks that a table of this type is complete. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Checks that options are an object without unknown names. Members that are `undefined` count as absent.
 *
 * Throws `INVALID_OPTION`, suggesting the closest known name.
 *
 * @param options Value that the caller passed.
 * @param known Names that exist.
 * @param owner Function that takes the options, such as `createWorker`.
 * @param prefix Option that holds these options, such as `backoff`. Default: none.
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

/** Returns whether a value is an object that is neither a list nor a function. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isList(value);
}

function isList(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    // `Array.isArray` throws for a revoked Proxy.
    return false;
  }
}

/** Returns the kind of a value, for messages about options that may hold secrets. */
export function kindOf(value: unknown): string {
  return typeof value === "string" ? "a string" : shown(value);
}

/** Returns a value as messages show it. Objects are not quoted, because they may be large or hold secrets. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  if (typeof value === "function") return "a function";
  if (Object(value) !== value) return String(value);
  return isList(value) ? "a list" : "an object";
}

/**
 * Checks a whole number of at least 1, or returns the default if the option is absent. Converts nothing, because a
 * limit that silently became NaN or Infinity would be no limit.
 *
 * Throws `INVALID_OPTION`.
 */
export function positiveInteger(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw invalidOption(name, "a whole number greater than 0", value);
}

/** Checks a duration like {@link positiveInteger}, up to the 24.8 days that timers support. Milliseconds. */
export function durationMs(name: string, value: number | undefined, fallback: number): number {
  const ms = positiveInteger(name, value, fallback);
  if (ms <= 2 ** 31 - 1) return ms;
  throw invalidOption(name, "at most 2147483647 milliseconds (24.8 days)", value);
}

/** Longest duration that stores must support: 100 years. Milliseconds. */
export const MAX_DURATION_MS = 3_155_760_000_000;

/**
 * Checks a duration like {@link positiveInteger}, up to 100 years. For durations that no timer counts. Milliseconds.
 */
export function longDurationMs(name: string, value: number | undefined, fallback: number): number {
  const ms = positiveInteger(name, value, fallback);
  if (ms <= MAX_DURATION_MS) return ms;
  const detail = `Option \`${name}\` is ${ms}. Pass at most ${MAX_DURATION_MS} (100 years).`;
  throw new AsyncReplyError("INVALID_OPTION", detail);
}

/**
 * Checks a date and returns a copy, because a `Date` is mutable.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkDate(name: string, date: unknown): Date {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return new Date(date);
  throw invalidOption(name, "a valid Date", date instanceof Date ? "Invalid Date" : date);
}

/**
 * Checks that an option is a function. With `optional: true` it may be absent.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkFunction(
  name: string,
  value: unknown,
  options: { readonly optional?: boolean } = {},
): void {
  if (typeof value === "function" || (options.optional === true && value === undefined)) return;
  throw invalidOption(name, "a function", value);
}
