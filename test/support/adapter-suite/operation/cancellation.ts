import { problemType } from "async-request-reply/ports";
import { deepEqual, ok } from "../../../../src/testing/expect.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, request, submission, UNKNOWN, UNKNOWN_ID } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import {
  checkFields,
  checkReply,
  checkStatus,
  JSON_FIELDS,
  jsonOf,
  operationIdOf,
  WHOLE_SECONDS,
} from "../fixtures/reply-checks.js";

/** DELETE of an operation, if its definition allows cancellation. */
export const cancellationCases = casesOf({
  "RFC 9110 §15.5.6": {
    "does not cancel unless the definition allows it": async (harness) => {
      const { send, states } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission()));
      const reply = await send(request("DELETE", `/operations/${operationId}`));
      checkProblem(reply, 405, "method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
      deepEqual(await states(), ["pending"], "the states");
    },
  },
  "docs/problems.md, method-not-allowed": {
    "does not cancel an operation of an unknown definition": async (harness) => {
      const { send, backend } = await mountOrders(harness, { cancellable: true });
      const operation = { tenant: "a", definition: "returns", input: "{}", retentionMs: 1 };
      await backend.operations.create({ id: UNKNOWN_ID, ...operation });
      const reply = await send(request("DELETE", UNKNOWN));
      checkProblem(reply, 405, "method-not-allowed", { allow: "GET, HEAD, OPTIONS" });
      deepEqual((await backend.operations.get(UNKNOWN_ID, "a"))?.state, "pending", "the state");
    },
  },
  "RFC 9110 §10.2.1": {
    "lists DELETE among the methods of the status endpoint if the definition allows it": async (harness) => {
      const { send } = await mountOrders(harness, { cancellable: true });
      const path = `/operations/${operationIdOf(await send(submission()))}`;
      const allow = "GET, HEAD, DELETE, OPTIONS";
      checkFields(await send(request("OPTIONS", path)), { allow });
      checkFields(await send(request("PUT", path)), { allow });
    },
  },
  "docs/contract.md, cancelling": {
    "answers 200 and fails the operation immediately if no worker is running it": async (harness) => {
      const { send, work } = await mountOrders(harness, { cancellable: true });
      const operationId = operationIdOf(await send(submission()));
      for (const time of ["first", "second"]) {
        const reply = await send(request("DELETE", `/operations/${operationId}`));
        checkReply(reply, 200, { ...JSON_FIELDS, "retry-after": undefined });
        const { status, error } = jsonOf(reply);
        const { type } = error as Record<string, unknown>;
        deepEqual([status, type], ["failed", problemType("cancelled")], `the end after the ${time} DELETE`);
      }
      let ran = false;
      await work(() => {
        ran = true;
      });
      ok(!ran, "a cancelled operation should not run");
    },
    "answers 202 while a worker is running the operation, and the work may still complete": async (
      harness,
    ) => {
      const { send, backend, begin } = await mountOrders(harness, { cancellable: true });
      const operationId = operationIdOf(await send(submission()));
      const lease = await begin(operationId);
      const reply = await send(request("DELETE", `/operations/${operationId}`));
      checkReply(reply, 202, { ...JSON_FIELDS, "retry-after": WHOLE_SECONDS });
      const { status, cancelRequested } = jsonOf(reply);
      deepEqual([status, cancelRequested], ["pending", true], "the status, and the requested cancellation");
      const renewed = await backend.operations.renew(lease, { leaseMs: 60_000, progress: '{"packed":1}' });
      deepEqual(renewed, { outcome: "renewed", cancelRequested: true }, "outcome that the worker sees");
      const again = await send(request("DELETE", `/operations/${operationId}`));
      checkStatus(again, 202);
      deepEqual(jsonOf(again).progress, { packed: 1 }, "the progress of the attempt");
      const read = jsonOf(await send(request("GET", `/operations/${operationId}`)));
      deepEqual(read, jsonOf(again), "the operation as the status endpoint shows it");
      await backend.operations.settle(lease, { to: "completed" });
      const late = await send(request("DELETE", `/operations/${operationId}`));
      checkStatus(late, 200);
      const end = jsonOf(late);
      deepEqual([end.status, end.cancelRequested], ["completed", undefined], "the final status");
    },
  },
  "docs/security.md, tenants": {
    "answers another tenant with 404 and cancels nothing": async (harness) => {
      const { send, states } = await mountOrders(harness, { cancellable: true });
      const id = operationIdOf(await send(submission()));
      const authorization = "Bearer token-of-b";
      const foreign = await send(request("DELETE", `/operations/${id}`, { authorization }));
      const unknown = await send(request("DELETE", UNKNOWN, { authorization }));
      checkProblem(foreign, 404, "not-found");
      deepEqual(foreign.body, unknown.body, "the body");
      deepEqual(await states(), ["pending"], "the states");
    },
  },
  "RFC 9110 §15.5.7": {
    "answers 406 before it cancels anything if the reply to DELETE is not acceptable": async (harness) => {
      const { send, states } = await mountOrders(harness, { cancellable: true });
      const id = operationIdOf(await send(submission()));
      const reply = await send(request("DELETE", `/operations/${id}`, { accept: "text/html" }));
      checkProblem(reply, 406, "not-acceptable");
      deepEqual(await states(), ["pending"], "the states");
    },
  },
});
