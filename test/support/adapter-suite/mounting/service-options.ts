import { problemType } from "async-request-reply/ports";
import { deepEqual, equal } from "../../../../src/testing/expect.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkFields, checkStatus, field, jsonOf, operationIdOf } from "../fixtures/reply-checks.js";

const BASE = "https://docs.example.com/problems/";

/** Paths of operations and URIs of problem types. */
export const serviceOptionCases = casesOf({
  "docs/contract.md, reading the status": {
    "reads and cancels operations below the status path, after the base path": async (harness) => {
      const options = { basePath: "/api", statusPath: "/work/status", cancellable: true };
      const { send } = await mountOrders(harness, options);
      const accepted = await send(submission({ path: "/api/orders" }));
      const operationId = operationIdOf(accepted);
      const location = `/api/work/status/${operationId}`;
      checkFields(accepted, { location });
      checkStatus(await send(request("GET", location)), 200);
      checkStatus(await send(request("DELETE", location)), 200);
      checkProblem(await send(request("GET", `/api/operations/${operationId}`)), 404, "not-found");
    },
  },
  "spec §4.1": {
    "puts the status path into Operation-Location": async (harness) => {
      const options = { statusPath: "/status", create: (() => ({ body: {} })) as never };
      const { send } = await mountOrders(harness, options);
      const reply = await send(submission());
      checkStatus(reply, 201);
      const monitor = field(reply, "operation-location") ?? "";
      equal(/^\/status\/[0-9a-f-]{36}$/.test(monitor), true, `the monitor URI ${monitor}`);
      checkStatus(await send(request("GET", monitor)), 200);
    },
  },
  "RFC 9457 §3.1.1, §3.2": {
    "names every problem, and prepends the problem base URI to its name": async (harness) => {
      const { send } = await mountOrders(harness, { problemBaseUri: BASE });
      const replies = {
        "not-found": await send(request("GET", "/operations/nothing")),
        unauthenticated: await send(submission({ fields: { authorization: undefined } })),
        "contract-violation": await send(submission({ body: "{}" })),
      };
      for (const [name, reply] of Object.entries(replies)) {
        const { type, name: shown } = jsonOf(reply);
        deepEqual([type, shown], [BASE + name, name], "the problem");
      }
    },
  },
  "docs/problems.md, errors of operations": {
    "applies the problem base URI to errors that other processes stored": async (harness) => {
      const options = { cancellable: true, problemBaseUri: BASE };
      const orders = await mountOrders(harness, options);
      const path = `/operations/${operationIdOf(await orders.send(submission()))}`;
      const cancelled = await orders.send(request("DELETE", path));
      const read = await orders.send(request("GET", path));
      for (const reply of [cancelled, read]) {
        const { type, name, title } = jsonOf(reply).error as Record<string, unknown>;
        const expected = [`${BASE}cancelled`, "cancelled", "The operation was cancelled"];
        deepEqual([type, name, title], expected, "the error");
      }
      const elsewhere = await mountOrders(harness, { backend: orders.backend });
      const { error } = jsonOf(await elsewhere.send(request("GET", path)));
      equal((error as Record<string, unknown>).type, problemType("cancelled"), "the type");
    },
  },
});
