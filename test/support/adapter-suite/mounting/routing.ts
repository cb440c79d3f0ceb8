import { deepEqual } from "../../../../src/testing/expect.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { REFUSED_KEY, refusalCase } from "../fixtures/refusal.js";
import { checkFields, checkStatus, operationIdOf } from "../fixtures/reply-checks.js";

const UNKNOWN_ID = "01980000-0000-7000-8000-000000000000";
const keyed = { "idempotency-key": REFUSED_KEY };

/** Unknown paths, then unsupported methods. */
export const routingCases: readonly AdapterCase[] = [
  ...["/", "/order", "/orders/", "/orders/1", "//orders", "/operations", "/operations/a/b"].map((path) =>
    refusalCase({
      name: `answers 404 to the unknown path ${path}`,
      rule: "RFC 9110 §15.5.5",
      request: submission({ path, fields: keyed }),
      status: 404,
      problem: "not-found",
    }),
  ),
  ...["GET", "PUT", "PATCH", "DELETE", "HEAD"].map((method) =>
    refusalCase({
      name: `answers 405 with Allow to ${method} on the path of a definition`,
      rule: "RFC 9110 §15.5.6",
      request: request(method, "/orders", keyed),
      status: 405,
      problem: "method-not-allowed",
      fields: { allow: "POST, OPTIONS" },
    }),
  ),
  ...["POST", "PUT", "PATCH", "DELETE"].map((method) =>
    refusalCase({
      name: `answers 405 with Allow to ${method} on the status endpoint`,
      rule: "RFC 9110 §15.5.6",
      request: request(method, `/operations/${UNKNOWN_ID}`, keyed),
      status: 405,
      problem: "method-not-allowed",
      fields: { allow: "GET, HEAD, OPTIONS" },
    }),
  ),
  refusalCase({
    name: "answers HEAD on an unknown operation with 404 and no body",
    rule: "RFC 9110 §9.3.2",
    request: request("HEAD", `/operations/${UNKNOWN_ID}`),
    status: 404,
    problem: "not-found",
  }),
  {
    name: "lists the methods of each resource to OPTIONS without authorization and without a body",
    rule: "RFC 9110 §9.3.7",
    run: async (harness) => {
      const { send } = await mountOrders(harness);
      const lists = { "/orders": "POST, OPTIONS", [`/operations/${UNKNOWN_ID}`]: "GET, HEAD, OPTIONS" };
      for (const [path, allow] of Object.entries(lists)) {
        const reply = await send({ method: "OPTIONS", path, headers: [] });
        checkStatus(reply, 204);
        checkFields(reply, { allow });
        deepEqual(reply.body, "", "the body");
      }
    },
  },
  {
    name: "ignores a query in the request target",
    rule: "RFC 3986 §3.4",
    run: async (harness) => {
      const { send } = await mountOrders(harness);
      const id = operationIdOf(await send(submission({ path: "/orders?quantity=5&itemId=/operations/" })));
      checkStatus(await send(request("GET", `/operations/${id}?wait=1&x=/y`)), 200);
    },
  },
  {
    name: "ignores fields that ask for another method",
    rule: "docs/contract.md, other methods",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness, { cancellable: true });
      const override = {
        "x-http-method-override": "DELETE",
        "x-http-method": "DELETE",
        "x-method-override": "GET",
      };
      const id = operationIdOf(await send(submission({ fields: override })));
      checkStatus(await send(request("GET", `/operations/${id}`, override)), 200);
      deepEqual(
        (await recorded()).map(({ state }) => state),
        ["pending"],
        "the states of all operations",
      );
    },
  },
];
