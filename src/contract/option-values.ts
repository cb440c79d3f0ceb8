import { AsyncReplyError } from "./errors.js";
import { invalidOption, isObject, kindOf, misuse, type OptionReader, shown } from "./options.js";
import { MAX_TIMER_MS } from "./timers.js";

/** Lets an option be absent, without a default. */
export function optional<Value>(read: OptionReader<Value>): OptionReader<Value | undefined> {
  return (value, name) => (value === undefined ? undefined : read(value, name));
}

/** Passes a value on that is checked elsewhere. */
export function unchecked<Value>(): OptionReader<Value> {
  return (value) => value as Value;
}

/** Reads a duration that timers support, of at least `min`. Milliseconds. */
export function duration(fallback: number, min = 1): OptionReader<number> {
  return (value, name) => atLeast(min, name, durationMs(name, value as number | undefined, fallback));
}

/** Leases are renewed after a third of them, so a shorter one ends during a pause of the process or one slow call. */
const MIN_LEASE_MS = 100;

/** Reads the duration of a lease. Milliseconds. */
export function leaseDuration(fallback: number): OptionReader<number> {
  return duration(fallback, MIN_LEASE_MS);
}

/** Reads a duration that no timer counts, from `min` to 100 years. Milliseconds. */
export function longDuration(fallback: number, min = 1): OptionReader<number> {
  return (value, name) => atLeast(min, name, longDurationMs(name, value as number | undefined, fallback));
}

function atLeast(min: number, name: string, ms: number): number {
  if (ms >= min) return ms;
  throw invalidOption(name, `at least ${min} milliseconds`, ms);
}

/** Reads a whole number from 1 to `max`. `advice` says what to do if it is larger. */
export function integer(
  fallback: number,
  max: number = Number.MAX_SAFE_INTEGER,
  advice = "",
): OptionReader<number> {
  return (value, name) => {
    const read = positiveInteger(name, value as number | undefined, fallback);
    if (read <= max) return read;
    throw invalidOption(name, `at most ${max}${advice}`, read);
  };
}

/** Reads a boolean. */
export function flag(fallback: boolean): OptionReader<boolean> {
  return (value = fallback, name) => {
    if (typeof value === "boolean") return value;
    throw invalidOption(name, "true or false", value);
  };
}

/** Reads a text that matches a pattern, which `expected` describes. Without `fallback`, it is required. */
export function text(pattern: RegExp, expected: string, fallback?: string): OptionReader<string> {
  return (value = fallback, name) => {
    if (typeof value === "string" && pattern.test(value)) return value;
    throw invalidOption(name, expected, value);
  };
}

/** Reads one of some values. The first is the default. */
export function either<const Value extends string>(
  first: Value,
  ...others: readonly Value[]
): OptionReader<Value> {
  const values: readonly unknown[] = [first, ...others];
  return (value = first, name) => {
    if (values.includes(value)) return value as Value;
    throw invalidOption(name, values.map((known) => `\`${known}\``).join(" or "), value);
  };
}

/** Reads a function. Without `fallback`, it is required. */
export function callback<Value>(expected = "a function", fallback?: Value): OptionReader<Value> {
  return (value: unknown = fallback, name) => {
    if (typeof value === "function") return value as Value;
    throw invalidOption(name, expected, value);
  };
}

/** Reads an object with these methods. Quotes no other value, because an address can hold a password. */
export function instance<Value extends object>(
  expected: string,
  ...methods: readonly (keyof Value)[]
): OptionReader<Value> {
  return (value, name) => {
    const found = value as Value;
    if (isObject(value) && methods.every((method) => typeof found[method] === "function")) return found;
    throw misuse(`Option \`${name}\` must be ${expected}, not ${kindOf(value)}.`);
  };
}

/**
 * Checks a whole number of at least 1, or returns the default if the option is absent. Converts nothing, because a
 * limit that silently became NaN or Infinity would be no limit.
 *
 * Throws `INVALID_OPTION`.
 */
function positiveInteger(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw invalidOption(name, "a whole number greater than 0", value);
}

/** Checks a duration like `positiveInteger`, up to the 24.8 days that timers support. Milliseconds. */
function durationMs(name: string, value: number | undefined, fallback: number): number {
  const ms = positiveInteger(name, value, fallback);
  if (ms <= MAX_TIMER_MS) return ms;
  throw invalidOption(name, `at most ${MAX_TIMER_MS} milliseconds (24.8 days)`, value);
}

/** Longest duration that stores must support: 100 years. Milliseconds. */
export const MAX_DURATION_MS = 3_155_760_000_000;

/** Checks a duration that no timer counts, like `positiveInteger`, up to 100 years. Milliseconds. */
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

/**
 * Checks that the id of an operation is text. Any text may be an id that no longer exists, but a promise never is.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param source Where the caller finds ids, such as `from a list`.
 */
export function checkIdText(id: unknown, source: string): asserts id is string {
  if (typeof id === "string") return;
  throw misuse(`Expected the id of an operation, not ${shown(id)}. Pass the \`operationId\` ${source}.`);
}
