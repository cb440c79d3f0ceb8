import { equal, ok } from "../../expect.js";
import type { WireResponse } from "./adapter-case.js";

/** Returns the value of a field that must not be repeated. */
export function field({ headers }: WireResponse, name: string): string | undefined {
  const values = headers.filter(([candidate]) => candidate === name).map(([, value]) => value);
  ok(values.length < 2, `expected at most one field ${name}, got ${JSON.stringify(values)}`);
  return values[0];
}

/** Checks fields. `undefined` means absent. */
export function checkFields(
  reply: WireResponse,
  expected: Readonly<Record<string, string | RegExp | undefined>>,
): void {
  for (const [name, value] of Object.entries(expected)) {
    const actual = field(reply, name);
    if (!(value instanceof RegExp)) equal(actual, value, `the field ${name}`);
    else ok(value.test(actual ?? ""), `expected the field ${name} to match ${value}, got ${actual}`);
  }
}

/** Checks the status. The message includes the body, which explains a wrong status best. */
export function checkStatus(reply: WireResponse, status: number): void {
  ok(reply.status === status, `expected the status ${status}, got ${reply.status}: ${reply.body}`);
}

/** Parses the body as JSON. */
export function jsonOf(reply: WireResponse): Readonly<Record<string, unknown>> {
  return JSON.parse(reply.body) as Readonly<Record<string, unknown>>;
}

/** Returns the id of an accepted operation. */
export function operationIdOf(reply: WireResponse): string {
  checkStatus(reply, 202);
  return String(jsonOf(reply).operationId);
}

/** Whole seconds, without sign or fraction (RFC 9110 §10.2.3). */
export const WHOLE_SECONDS: RegExp = /^(?:0|[1-9]\d*)$/;
