import {
  checkOptions,
  durationMs,
  invalidOption,
  isObject,
  kindOf,
  longDurationMs,
  misuse,
  positiveInteger,
} from "./options.js";

/** Checks the value of an option and returns it, or the default if it is `undefined`. Throws `INVALID_OPTION`. */
export type OptionReader<Value> = (value: unknown, name: string) => Value;

/** A reader for each member of a settings type, and for no others. */
export type OptionTable<Settings> = { readonly [Name in keyof Settings]-?: OptionReader<Settings[Name]> };

/**
 * Checks that options are an object without unknown names, and reads the value of each.
 *
 * Throws `INVALID_OPTION`, naming the option.
 *
 * @param owner Function that takes the options, such as `createWorker`.
 * @param prefix Option that holds these options, such as `backoff`. Default: none.
 */
export function readOptions<Settings extends object>(
  options: object,
  table: OptionTable<Settings>,
  owner: string,
  prefix?: string,
): Settings {
  checkOptions(options, table, owner, prefix);
  return readNamed(options, table, prefix);
}

/** Reads the options of a table from options that may have others. Throws `INVALID_OPTION`, naming the option. */
export function readNamed<Settings extends object>(
  options: object,
  table: OptionTable<Settings>,
  prefix?: string,
): Settings {
  const place = prefix === undefined ? "" : `${prefix}.`;
  const readers = Object.entries<OptionReader<unknown>>(table);
  return Object.fromEntries(
    readers.map(([name, read]) => [name, read(Reflect.get(options, name), place + name)]),
  ) as Settings;
}

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
