import assert from "node:assert/strict";
import { type HttpResponse, isAsyncReplyError } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import type { FuzzSubject } from "./subject.js";

/** The problems that a body can cause. Everything else in the request is correct. */
const PROBLEMS: ReadonlyMap<number, string> = new Map([
  [400, problemType("malformed-body")],
  [413, problemType("body-too-large")],
  [422, problemType("contract-violation")],
]);

/** Checks that a reply accepts the body or is a complete problem. */
export function checkReply({ status, headers, body }: HttpResponse): void {
  assert(typeof body === "string", "The reply has no body.");
  assert.equal(headers["content-length"], String(Buffer.byteLength(body)));
  const members = JSON.parse(body) as Readonly<Record<string, unknown>>;
  if (status === 202) {
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers.location, `/operations/${members.operationId}`);
    assert.equal(members.status, "pending");
  } else {
    assert.equal(headers["content-type"], "application/problem+json");
    assert.equal(members.type, PROBLEMS.get(status), `The status is ${status}.`);
    assert.equal(members.status, status);
    const { detail } = members;
    assert(typeof detail === "string" && detail.length < 500, "The detail is not a short sentence.");
    if (status === 422) checkViolations(members.errors);
  }
}

function checkViolations(errors: unknown): void {
  assert(Array.isArray(errors) && errors.length > 0 && errors.length <= 100, "The violations are missing.");
  for (const { pointer, detail } of errors) {
    assert.match(pointer, /^#/);
    assert.equal(typeof detail, "string");
  }
}

/** Checks that a value survives being written and read again. */
export function checkReadBack(body: Uint8Array, subject: FuzzSubject): void {
  const read = parse(body, subject);
  if (read === undefined) return;
  const text = subject.format.serialize(read.value, { kind: "resource", name: "orders" });
  const again = parse(Buffer.from(text), subject);
  assert.equal(JSON.stringify(again?.value), JSON.stringify(read.value), "The value has changed.");
}

/** Returns the value of a body, or undefined if it is malformed. */
function parse(body: Uint8Array, { format }: FuzzSubject): { readonly value: unknown } | undefined {
  try {
    return { value: format.parse(body, { limits: { maxDepth: 32 }, name: "orders", schema: undefined }) };
  } catch (error) {
    if (isAsyncReplyError(error)) return undefined;
    throw error;
  }
}
