import { problemType } from "async-request-reply/ports";
import { deepEqual, ok } from "../../../../src/testing/expect.js";
import { claimOne } from "../../claims.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkFields, checkStatus, jsonOf, operationIdOf, WHOLE_SECONDS } from "../fixtures/reply-checks.js";

const representation = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  vary: "accept",
};

/** DELETE of an operation, if its definition allows cancellation. */
export const cancellationCases: readonly AdapterCase[] = [
  {
    name: "does not cancel unless the definition allows it",
    rule: "RFC 9110 §15.5.6",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission()));
      const reply = await send(request("DELETE", `/operations/${operationId}`));
      checkProblem(reply, 405, "method-not-allowed");
      checkFields(reply, { allow: "GET, HEAD, OPTIONS" });
      deepEqual(
        (await recorded()).map(({ state }) => state),
        ["pending"],
        "the states",
      );
    },
  },
  {
    name: "does not cancel an operation of an unknown definition",
    rule: "docs/problems.md, method-not-allowed",
    run: async (harness) => {
      const { send, backend } = await mountOrders(harness, { cancellable: true });
      const id = "01980000-0000-7000-8000-000000000000";
      await backend.operations.create({
        id,
        tenant: "a",
        definition: "returns",
        input: "{}",
        retentionMs: 1,
      });
      const reply = await send(request("DELETE", `/operations/${id}`));
      checkProblem(reply, 405, "method-not-allowed");
      checkFields(reply, { allow: "GET, HEAD, OPTIONS" });
      deepEqual((await backend.operations.get(id, "a"))?.state, "pending", "the state");
    },
  },
  {
    name: "lists DELETE among the methods of the status endpoint if the definition allows it",
    rule: "RFC 9110 §10.2.1",
    run: async (harness) => {
      const { send } = await mountOrders(harness, { cancellable: true });
      const path = `/operations/${operationIdOf(await send(submission()))}`;
      const allow = "GET, HEAD, DELETE, OPTIONS";
      checkFields(await send(request("OPTIONS", path)), { allow });
      checkFields(await send(request("PUT", path)), { allow });
    },
  },
  {
    name: "answers 200 and fails the operation immediately if no worker is running it",
    rule: "docs/contract.md, cancelling",
    run: async (harness) => {
      const { send, work } = await mountOrders(harness, { cancellable: true });
      const operationId = operationIdOf(await send(submission()));
      for (const time of ["first", "second"]) {
        const reply = await send(request("DELETE", `/operations/${operationId}`));
        checkStatus(reply, 200);
        checkFields(reply, { ...representation, "retry-after": undefined });
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
  },
  {
    name: "answers 202 while a worker is running the operation, and the work may still complete",
    rule: "docs/contract.md, cancelling",
    run: async (harness) => {
      const { send, backend } = await mountOrders(harness, { cancellable: true });
      const operationId = operationIdOf(await send(submission()));
      const lease = { operationId, token: "token-of-this-attempt" };
      await claimOne(backend.operations, operationId, { token: lease.token, leaseMs: 60_000 });
      const reply = await send(request("DELETE", `/operations/${operationId}`));
      checkStatus(reply, 202);
      checkFields(reply, { ...representation, "retry-after": WHOLE_SECONDS });
      const { status, cancelRequested } = jsonOf(reply);
      deepEqual(
        [status, cancelRequested],
        ["pending", true],
        "the status, and that cancellation was requested",
      );
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
  {
    name: "answers another tenant with 404 and cancels nothing",
    rule: "docs/security.md, tenants",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness, { cancellable: true });
      const id = operationIdOf(await send(submission()));
      const authorization = "Bearer token-of-b";
      const foreign = await send(request("DELETE", `/operations/${id}`, { authorization }));
      const unknown = await send(
        request("DELETE", "/operations/01980000-0000-7000-8000-000000000000", { authorization }),
      );
      checkProblem(foreign, 404, "not-found");
      deepEqual(foreign.body, unknown.body, "the body");
      deepEqual(
        (await recorded()).map(({ state }) => state),
        ["pending"],
        "the states",
      );
    },
  },
  {
    name: "answers 406 before it cancels anything if the reply to DELETE is not acceptable",
    rule: "RFC 9110 §15.5.7",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness, { cancellable: true });
      const id = operationIdOf(await send(submission()));
      checkProblem(
        await send(request("DELETE", `/operations/${id}`, { accept: "text/html" })),
        406,
        "not-acceptable",
      );
      deepEqual(
        (await recorded()).map(({ state }) => state),
        ["pending"],
        "the states",
      );
    },
  },
];
