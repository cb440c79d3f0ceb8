import { defineOrders, type ErrorCode, type Format, permanentFailure } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { AsyncReplyError } from "../../src/contract/errors.js";
import type { SerializeContext } from "../../src/formats/format.js";
import { toProblem } from "../../src/http/message/problems.js";

/** A value that a service sends, and the context in which a format writes it. */
export interface SampleReply {
  readonly name: string;
  readonly value: unknown;
  readonly context: SerializeContext;
}

const { jsonSchema: schema = {}, rootName } = defineOrders();
const operationId = "01a1fb0e-5781-7461-97e0-78a248067be3";
const createdAt = "2026-11-20T22:23:03.554Z";
const begun = { definition: "orders", createdAt, attempt: 1 };
const ended = { ...begun, finishedAt: "2026-11-20T22:23:04.000Z" };

/** Possible progress and results of user code: JSON values that yanglint can read, so no nested arrays. */
const given: readonly unknown[] = [
  { shipped: true, itemId: '<book> & "more"', quantity: 1 },
  {},
  { "2nd": [1, { c: [2] }], "a b": null, "a:b": { c: [{}] } },
  "done",
  "",
  2.5,
  false,
  null,
  [],
  [1, "a", null, { b: [] }],
];

function operation(name: string, members: object): SampleReply {
  const value = { operationId, status: "pending", ...members };
  return { name: `an operation: ${name}`, value, context: { kind: "operation", name: rootName } };
}

function list(name: string, operations: readonly object[]): SampleReply {
  return {
    name: `a list of operations: ${name}`,
    value: { operations },
    context: { kind: "operations", name: "operations" },
  };
}

function problem(name: string, error: AsyncReplyError): SampleReply {
  const { body } = toProblem(error);
  return { name: `a problem: ${name}`, value: body, context: { kind: "problem", name: rootName, schema } };
}

const codes: readonly ErrorCode[] = [
  ...(["INVALID_HEADER", "UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND", "METHOD_NOT_ALLOWED"] as const),
  ...(["NOT_ACCEPTABLE", "BODY_TIMEOUT", "SUBMISSION_IN_PROGRESS", "CREATION_IN_PROGRESS"] as const),
  ...(["BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "IDEMPOTENCY_KEY_REUSED"] as const),
  ...(["TOO_MANY_REQUESTS", "STORE_UNAVAILABLE", "INTERNAL"] as const),
];

const violations = [
  { pointer: "#/itemId", detail: "is required" },
  { pointer: "#/quantity", detail: "must be greater than 0" },
  { pointer: "#/col~1our%20%3C", detail: "is not a known member" },
  { pointer: "#", detail: "must be an object" },
  { pointer: "#/colour", detail: "is not a known member" },
];

/** One reply of every kind and status. */
const sampleReplies: readonly SampleReply[] = [
  operation("just accepted", {}),
  operation("pending", { ...begun, attempt: 0 }),
  ...given.map((progress) =>
    operation(`with the progress ${JSON.stringify(progress)}`, { ...begun, progress }),
  ),
  operation("completed", { status: "completed", ...ended }),
  ...given.map((result) =>
    operation(`with the result ${JSON.stringify(result)}`, { status: "completed", ...ended, result }),
  ),
  list("none", []),
  list("one", [{ operationId, status: "pending", ...begun }]),
  list("two", [
    { operationId, status: "completed", ...ended },
    { operationId: operationId.replace("01", "02"), status: "pending", ...begun, attempt: 0 },
  ]),
  operation("failed", {
    status: "failed",
    ...ended,
    error: {
      type: problemType("work-failed"),
      name: "work-failed",
      title: "The work failed",
      detail: permanentFailure("Sold <out>.").detail,
    },
  }),
  {
    name: "an order",
    value: { itemId: "book", quantity: 9007199254740991, status: "pending" },
    context: { kind: "resource", name: rootName, schema },
  },
  ...codes.map((code) => problem(code, new AsyncReplyError(code, 'It says "no" & <why>.'))),
  problem("CONTRACT_VIOLATION", new AsyncReplyError("CONTRACT_VIOLATION", "It is none.", { violations })),
];

export function written(format: Format): readonly (SampleReply & { readonly text: string })[] {
  return sampleReplies.map((reply) => ({ ...reply, text: format.serialize(reply.value, reply.context) }));
}
