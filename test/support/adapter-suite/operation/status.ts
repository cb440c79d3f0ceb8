import { permanentFailure } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { deepEqual, ok } from "../../../../src/testing/expect.js";
import type { WireResponse } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import {
  checkFields,
  checkReply,
  checkStatus,
  field,
  jsonOf,
  operationIdOf,
  WHOLE_SECONDS,
} from "../fixtures/reply-checks.js";

const common = {
  "content-type": "application/json",
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
  vary: "accept",
  etag: /^"[^"]+"$/,
};

/** GET on the status endpoint (spec §4.2). */
export const statusCases = casesOf({
  "spec §4.2": {
    "answers 200 with Retry-After while the operation is pending": async (harness) => {
      const { send, recorded } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission()));
      const reply = await send(request("GET", `/operations/${operationId}`));
      checkReply(reply, 200, { ...common, "retry-after": WHOLE_SECONDS, location: undefined });
      const [operation] = await recorded();
      const createdAt = new Date(operation?.createdAt ?? 0).toISOString();
      const pending = { operationId, status: "pending", definition: "orders", createdAt, attempt: 0 };
      deepEqual(jsonOf(reply), pending, "the body");
    },
    "answers 200 with the result and without Retry-After once the operation is completed": async (
      harness,
    ) => {
      const { send, work } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission()));
      await work((order) => ({ shipped: order.quantity }));
      const reply = await send(request("GET", `/operations/${operationId}`));
      checkReply(reply, 200, { ...common, "retry-after": undefined });
      const { status, result, error } = jsonOf(reply);
      deepEqual([status, result, error], ["completed", { shipped: 2 }, undefined], "the ended operation");
    },
    "answers 200 with the reason once the operation has failed": async (harness) => {
      const { send, work } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission()));
      await work(() => {
        throw permanentFailure("The item is sold out.");
      });
      const reply = await send(request("GET", `/operations/${operationId}`));
      checkReply(reply, 200, { ...common, "retry-after": undefined });
      const { status, error } = jsonOf(reply);
      const { type, detail } = error as Record<string, unknown>;
      const expected = {
        status: "failed",
        type: problemType("work-failed"),
        detail: "The item is sold out.",
      };
      deepEqual({ status, type, detail }, expected, "the ended operation");
    },
  },
  "docs/contract.md, reading the status": {
    "shows the latest progress of the work": async (harness) => {
      const { send, backend, begin } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission()));
      const lease = await begin(operationId);
      await backend.operations.renew(lease, { leaseMs: 60_000, progress: '{"packed":1}' });
      const reply = await send(request("GET", `/operations/${operationId}`));
      checkFields(reply, { ...common, "retry-after": WHOLE_SECONDS });
      const { status, progress } = jsonOf(reply);
      deepEqual({ status, progress }, { status: "pending", progress: { packed: 1 } }, "the operation");
    },
  },
  "RFC 9110 §13.1.2": {
    "answers 304 to a current tag, also in weak form, in a list and as *": async (harness) => {
      const { send } = await mountOrders(harness);
      const path = `/operations/${operationIdOf(await send(submission()))}`;
      const full = await send(request("GET", path));
      const etag = field(full, "etag") ?? "";
      const current = [etag, `W/${etag}`, "*", `"other", ${etag}`, `W/"a,b",W/${etag} , "c"`];
      for (const tag of current) {
        const reply = await send(request("GET", path, { "if-none-match": tag }));
        checkStatus(reply, 304);
        deepEqual(reply.body, "", "the body");
        const kept = ["etag", "cache-control", "vary", "retry-after"];
        checkFields(reply, Object.fromEntries(kept.map((name) => [name, field(full, name)])));
      }
      checkStatus(await send(request("GET", path, { "if-none-match": ['"other"', etag] })), 304);
      for (const tag of ['"other"', "", etag.slice(1, -1), `w/${etag}x`]) {
        checkStatus(await send(request("GET", path, { "if-none-match": tag })), 200);
      }
    },
  },
  "RFC 9110 §8.8.3": {
    "changes the tag when the operation changes": async (harness) => {
      const { send, work } = await mountOrders(harness);
      const path = `/operations/${operationIdOf(await send(submission()))}`;
      const before = field(await send(request("GET", path)), "etag") ?? "";
      await work();
      const reply = await send(request("GET", path, { "if-none-match": before }));
      checkStatus(reply, 200);
      ok(field(reply, "etag") !== before, "expected a different tag");
    },
  },
  "RFC 9110 §9.3.2": {
    "answers HEAD with the fields of GET and no body": async (harness) => {
      const { send } = await mountOrders(harness);
      const path = `/operations/${operationIdOf(await send(submission()))}`;
      const get = await send(request("GET", path));
      const head = await send(request("HEAD", path));
      checkStatus(head, 200);
      deepEqual(head.body, "", "the body");
      deepEqual(comparable(head), comparable(get), "the fields");
      const tag = { "if-none-match": field(get, "etag") ?? "" };
      checkStatus(await send(request("HEAD", path, tag)), 304);
    },
  },
  "docs/security.md, tenants": {
    "answers another tenant exactly as if the operation did not exist": async (harness) => {
      const { send } = await mountOrders(harness);
      const id = operationIdOf(await send(submission()));
      const authorization = "Bearer token-of-b";
      for (const method of ["GET", "HEAD"]) {
        const foreign = await send(request(method, `/operations/${id}`, { authorization }));
        const unknown = await send(request(method, `/operations/${nextTo(id)}`, { authorization }));
        checkProblem(foreign, 404, "not-found", {}, method);
        deepEqual(comparable(foreign), comparable(unknown), "the fields");
        deepEqual(foreign.body, unknown.body, "the body");
      }
    },
    "answers 404 to ids that this package never creates": async (harness) => {
      const { send } = await mountOrders(harness);
      const id = operationIdOf(await send(submission()));
      const never = ["1", "%00", "%0d%0a", "%zz", "a".repeat(3_000), id.toUpperCase(), `${id}%20`, `${id};a`];
      for (const other of never) {
        checkProblem(await send(request("GET", `/operations/${other}`)), 404, "not-found");
      }
    },
  },
});

/** Parts of a reply that must be equal: everything except what the transport adds. */
function comparable({ status, headers }: WireResponse): unknown {
  const added = ["date", "connection", "keep-alive", "transfer-encoding"];
  return [status, headers.filter(([name]) => !added.includes(name)).sort()];
}

function nextTo(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;
}
