import { deepEqual } from "../../../../src/testing/expect.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, request, submission, UNKNOWN } from "../fixtures/orders-fixture.js";
import { REFUSED_KEY, refusalCase } from "../fixtures/refusal.js";
import { checkReply, checkStatus, operationIdOf } from "../fixtures/reply-checks.js";

const keyed = { "idempotency-key": REFUSED_KEY };

/** Unknown paths, then unsupported methods. */
export const routingCases = [
  ...["/", "/order", "/orders/", "/orders/1", "//orders", "/operations", "/operations/a/b"].map((path) =>
    refusalCase({
      name: `answers 404 to the unknown path ${path}`,
      rule: "RFC 9110 §15.5.5",
      request: submission({ path, fields: keyed }),
      reply: [404, "not-found"],
    }),
  ),
  ...["GET", "PUT", "PATCH", "DELETE", "HEAD"].map((method) =>
    refusalCase({
      name: `answers 405 with Allow to ${method} on the path of a definition`,
      rule: "RFC 9110 §15.5.6",
      request: request(method, "/orders", keyed),
      reply: [405, "method-not-allowed"],
      fields: { allow: "POST, OPTIONS" },
    }),
  ),
  ...["POST", "PUT", "PATCH", "DELETE"].map((method) =>
    refusalCase({
      name: `answers 405 with Allow to ${method} on the status endpoint`,
      rule: "RFC 9110 §15.5.6",
      request: request(method, UNKNOWN, keyed),
      reply: [405, "method-not-allowed"],
      fields: { allow: "GET, HEAD, OPTIONS" },
    }),
  ),
  refusalCase({
    name: "answers HEAD on an unknown operation with 404 and no body",
    rule: "RFC 9110 §9.3.2",
    request: request("HEAD", UNKNOWN),
    reply: [404, "not-found"],
  }),
  ...casesOf({
    "RFC 9110 §9.3.7": {
      "lists the methods of each resource to OPTIONS without authorization and without a body": async (
        harness,
      ) => {
        const { send } = await mountOrders(harness);
        const lists = { "/orders": "POST, OPTIONS", [UNKNOWN]: "GET, HEAD, OPTIONS" };
        for (const [path, allow] of Object.entries(lists)) {
          const reply = await send({ method: "OPTIONS", path, headers: [] });
          checkReply(reply, 204, { allow });
          deepEqual(reply.body, "", "the body");
        }
      },
    },
    "RFC 3986 §3.4": {
      "ignores a query in the request target": async (harness) => {
        const { send } = await mountOrders(harness);
        const id = operationIdOf(await send(submission({ path: "/orders?quantity=5&itemId=/operations/" })));
        checkStatus(await send(request("GET", `/operations/${id}?wait=1&x=/y`)), 200);
      },
    },
    "docs/contract.md, other methods": {
      "ignores fields that ask for another method": async (harness) => {
        const { send, states } = await mountOrders(harness, { cancellable: true });
        const override = {
          "x-http-method-override": "DELETE",
          "x-http-method": "DELETE",
          "x-method-override": "GET",
        };
        const id = operationIdOf(await send(submission({ fields: override })));
        checkStatus(await send(request("GET", `/operations/${id}`, override)), 200);
        deepEqual(await states(), ["pending"], "the states of all operations");
      },
    },
  }),
];
