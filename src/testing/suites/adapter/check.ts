import type { WireResponse } from "./adapter-case.js";

/** Fails the case. The suite runs under any test runner, and every one of them understands a thrown error. */
export function check(condition: boolean, failure: string): asserts condition {
  if (!condition) throw new Error(failure);
}

/** Compares as JSON, in which all that goes over the wire can be written. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(is === should, `${what} should be ${should}, but is ${is}`);
}

/** The value of a field that must not be repeated. */
export function field({ headers }: WireResponse, name: string): string | undefined {
  const values = headers.filter(([candidate]) => candidate === name).map(([, value]) => value);
  check(values.length < 2, `the field ${name} should stand there once, but is ${JSON.stringify(values)}`);
  return values[0];
}

/** Checks fields, where `undefined` means absent. */
export function checkFields(
  reply: WireResponse,
  expected: Readonly<Record<string, string | RegExp | undefined>>,
): void {
  for (const [name, value] of Object.entries(expected)) {
    const actual = field(reply, name);
    if (!(value instanceof RegExp)) checkEqual(actual, value, `the field ${name}`);
    else check(value.test(actual ?? ""), `the field ${name} should match ${value}, but is ${actual}`);
  }
}

/** Checks the status; the body tells most about a wrong one. */
export function checkStatus(reply: WireResponse, status: number): void {
  check(reply.status === status, `the status should be ${status}, but is ${reply.status}: ${reply.body}`);
}

/** The body as JSON. */
export function jsonOf(reply: WireResponse): Readonly<Record<string, unknown>> {
  return JSON.parse(reply.body) as Readonly<Record<string, unknown>>;
}

/** The id of an accepted operation. */
export function operationIdOf(reply: WireResponse): string {
  checkStatus(reply, 202);
  return String(jsonOf(reply).operationId);
}

/** Whole seconds: no sign, no fraction (RFC 9110 §10.2.3). */
export const WHOLE_SECONDS = /^(?:0|[1-9]\d*)$/;
