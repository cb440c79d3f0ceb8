/** Throws unless the condition holds. `what` is the expectation, used as the error message. */
export function ok(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Throws unless the two values are the same (`Object.is`). */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) throw mismatch(what, actual, expected);
}

/**
 * Throws unless the two values have the same members at every level. A member that is `undefined` counts as absent,
 * because stores that keep columns may return it.
 */
export function deepEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isSame(actual, expected)) throw mismatch(what, actual, expected);
}

/** Throws unless a result has this `outcome`. Returns the result narrowed to it. */
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

/** Ignores inherited members, so that a member named like one of `Object.prototype` counts as data. */
function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function mismatch(what: string, actual: unknown, expected: unknown): Error {
  return new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
