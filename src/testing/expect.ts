/** Throws unless the condition holds. `what` says what was expected to hold. */
export function ok(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Throws unless the two are the same value (`Object.is`). */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) throw mismatch(what, actual, expected);
}

/**
 * Throws unless the two have the same members all the way down. A member that is `undefined` counts as absent: a store
 * that keeps columns may return it so.
 */
export function deepEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isSame(actual, expected)) throw mismatch(what, actual, expected);
}

/** Throws unless a result has this `outcome`, and returns it as that. */
export function isOutcome<Result extends { readonly outcome: string }, Outcome extends Result["outcome"]>(
  result: Result,
  outcome: Outcome,
  what: string,
): Extract<Result, { readonly outcome: Outcome }> {
  if (result.outcome !== outcome) throw mismatch(what, result, { outcome });
  return result as Extract<Result, { readonly outcome: Outcome }>;
}

function isSame(actual: unknown, expected: unknown): boolean {
  if (!isObject(actual) || !isObject(expected)) return Object.is(actual, expected);
  if (Array.isArray(actual) !== Array.isArray(expected)) return false;
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...names].every((name) => isSame(own(actual, name), own(expected, name)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A member named like one of `Object.prototype` is data too. */
function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function mismatch(what: string, actual: unknown, expected: unknown): Error {
  return new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
