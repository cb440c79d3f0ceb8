import { AsyncReplyError } from "./errors.js";

/** Creates an error for wrong arguments of a function of this package. */
export function misuse(detail: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_OPTION", detail);
}

/** Creates an error for an option with a wrong value. The message names the option, what is expected, and the value. */
export function invalidOption(name: string, expected: string, value: unknown): AsyncReplyError {
  return misuse(`Option \`${name}\` must be ${expected}, not ${shown(value)}.`);
}

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

/** Names of all members of an options type. The compiler checks that a table of this type is complete. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true | object>>;

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
  known: Readonly<Record<string, unknown>>,
  owner: string,
  prefix?: string,
): void {
  if (!isObject(options) || isPromise(options))
    throw prefix === undefined
      ? misuse(`The options of ${owner} must be an object, not ${shown(options)}.`)
      : invalidOption(prefix, "an object", options);
  if (!isPlain(options) && !Object.keys(known).some((name) => name in options))
    throw misuse(
      `The options of ${owner} must be a plain object, such as \`{ ${Object.keys(known)[0]} }\`, not an instance of a class.`,
    );
  const path = (name: string): string => (prefix === undefined ? name : `${prefix}.${name}`);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const others = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
    const meant = others?.find((each) => names.includes(each));
    const suggestion =
      meant === undefined
        ? suggestName("options", path(name), names.map(path))
        : `Did you mean \`${path(meant)}\`?`;
    throw misuse(`Unknown option \`${path(name)}\` of ${owner}. ${suggestion}`);
  }
}

/** Names that other libraries and other parts of this package use for an option, and the names that it can have here. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  client: ["pool", "database", "connection"],
  connectionString: ["pool"],
  db: ["database", "pool"],
  delay: ["delayMs"],
  idempotencyKey: ["key"],
  jobId: ["key"],
  maxRetries: ["maxAttempts"],
  priority: ["urgency"],
  retries: ["maxAttempts"],
  singletonKey: ["key"],
  startAfter: ["delayMs"],
  state: ["status"],
  tenantId: ["tenant"],
};

/** A mistake such as passing a pool instead of `{ pool }` is an instance of a class. */
function isPlain(options: object): boolean {
  const prototype = Object.getPrototypeOf(options) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
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
  if (isPromise(value)) return "a promise that was not awaited";
  return isList(value) ? "a list" : "an object";
}

/** Returns whether a value is a promise, or another object with `then`. */
export function isPromise(value: unknown): boolean {
  try {
    return typeof (value as { readonly then?: unknown }).then === "function";
  } catch {
    return false;
  }
}

/** Return type of users' functions: a value, or anything that `await` waits for. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * Returns a plain value unchanged, and everything with a callable `then` as a native promise. That includes thenables
 * and promises of another realm, which are not `instanceof Promise`. A plain value costs no promise and no turn of the
 * event loop.
 */
export function adoptPromise<T>(answer: MaybePromise<T>): T | Promise<T> {
  return isThenable(answer) ? Promise.resolve(answer) : answer;
}

function isThenable<T>(answer: MaybePromise<T>): answer is PromiseLike<T> {
  const isObject = (typeof answer === "object" && answer !== null) || typeof answer === "function";
  return isObject && typeof (answer as Partial<PromiseLike<T>>).then === "function";
}

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Leaves out members that are undefined. */
export function present<Members extends object>(members: Members): Present<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<Members>;
}

/**
 * Returns the known name that a misspelled name most likely means, or undefined if no name is close. Ignores case, and
 * allows a third of the characters to differ.
 */
function closestName(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.find(({ distance }) => distance <= limit)?.candidate;
}

/** Suggests a known name for an unknown one, and lists the known names if none is close or there are only a few. */
export function suggestName(kind: string, name: string, known: readonly string[]): string {
  // A name of hundreds of characters is not a typo, and comparing it takes long.
  const closest = name.length > 100 ? undefined : closestName(name, known);
  const list = `Known ${kind}: ${known.join(", ") || "none"}.`;
  if (closest === undefined) return list;
  const suggestion = `Did you mean \`${closest}\`?`;
  return known.length > MAX_LISTED ? suggestion : `${suggestion} ${list}`;
}

/** Maximum length of a list after a suggestion. A longer list would hide the suggestion. */
const MAX_LISTED = 3;

/** Returns how many characters to insert, delete, replace or swap with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : replaced;
      current.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
