import { type CreateResource, type Order, permanentFailure } from "async-request-reply";
import { deepEqual, ok } from "../../../../src/testing/expect.js";
import { casesOf, replyCase } from "../fixtures/cases-of.js";
import { createGate } from "../fixtures/gate.js";
import { mountOrders, request, submission } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkFields, checkStatus, field, jsonOf, WHOLE_SECONDS } from "../fixtures/reply-checks.js";

type Create = CreateResource<Order, unknown>;

const OTHER = '{"itemId":"pen","quantity":1}';
const keyed = submission({ fields: { "idempotency-key": "k" } });
const created: Create = ({ itemId }, { operationId }) => ({
  body: { id: operationId, itemId },
  location: `/shop/orders/${operationId}`,
});

/** The 201: the order itself exists before the reply (spec §4.1). */
export const creationCases = [
  ...casesOf({
    "spec §4.1, RFC 9110 §15.3.2": {
      "answers 201 with the pending order, its Location and the Operation-Location": async (harness) => {
        const { send, recorded, work } = await mountOrders(harness, { create: created });
        const reply = await send(submission());
        checkStatus(reply, 201);
        const [operation] = await recorded();
        const id = operation?.id;
        deepEqual(jsonOf(reply), { id, itemId: "book", status: "pending" }, "the body");
        checkFields(reply, {
          location: `/shop/orders/${id}`,
          "operation-location": `/operations/${id}`,
          "content-type": "application/json",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          vary: "accept",
          "idempotent-replayed": undefined,
        });
        await work();
        const monitor = await send(request("GET", field(reply, "operation-location") ?? ""));
        deepEqual(jsonOf(monitor).status, "completed", "the status after the work");
      },
    },
    "spec §4.1": {
      "omits Location if the order has none, and reports the status that the contract fixes": async (
        harness,
      ) => {
        const create: Create = async () => ({ body: { number: 7, status: "shipped" } });
        const { send } = await mountOrders(harness, { create });
        const reply = await send(submission());
        checkStatus(reply, 201);
        deepEqual(jsonOf(reply), { number: 7, status: "pending" }, "the body");
        checkFields(reply, { location: undefined, "operation-location": /^\/operations\/[0-9a-f-]{36}$/ });
      },
    },
    "draft-ietf-httpapi-idempotency-key-header-07 §2.6": {
      "repeats a 201 as a 201 before and after the work, and creates the order only once": async (
        harness,
      ) => {
        let calls = 0;
        const create: Create = (order, context) => {
          calls += 1;
          return created(order, context);
        };
        const { send, work } = await mountOrders(harness, { create });
        const first = await send(keyed);
        checkStatus(first, 201);
        const same = Object.fromEntries(
          ["location", "operation-location", "content-type"].map((name) => [name, field(first, name)]),
        );
        for (const step of [() => Promise.resolve(), () => work()]) {
          await step();
          const again = await send(keyed);
          checkStatus(again, 201);
          deepEqual(again.body, first.body, "the body");
          checkFields(again, { ...same, "idempotent-replayed": "true" });
        }
        deepEqual(calls, 1, "number of times the order was created");
        const other = submission({ fields: { "idempotency-key": "k" }, body: OTHER });
        checkProblem(await send(other), 422, "idempotency-key-reused");
      },
    },
    "docs/contract.md, creating before the reply": {
      "answers 503 if the creation throws, hides the operation, and creates the order on the retry": async (
        harness,
      ) => {
        const ids: string[] = [];
        let rolledBack = false;
        const create: Create = (order, context) => {
          ids.push(context.operationId);
          rolledBack = context.tx !== undefined;
          if (ids.length === 1) throw new Error("duplicate key value violates unique constraint");
          return created(order, context);
        };
        const { send } = await mountOrders(harness, { create });
        const refused = await send(keyed);
        checkProblem(refused, 503, "creation-failed", { "retry-after": WHOLE_SECONDS });
        ok(!refused.body.includes("constraint"), "the problem should not reveal the error");
        checkProblem(await send(request("GET", `/operations/${ids[0]}`)), 404, "not-found");
        const other = submission({ fields: { "idempotency-key": "k" }, body: OTHER });
        // A store with transactions rolls everything back. In other stores the key stays bound to the unfinished
        // submission.
        if (!rolledBack) checkProblem(await send(other), 422, "idempotency-key-reused");
        checkStatus(await send(keyed), 201);
        deepEqual(ids.length, 2, "number of calls to create");
        if (!rolledBack) deepEqual(ids[1], ids[0], "the operationId of the second attempt");
      },
      "answers 202 with the failed operation if the creation fails permanently, and replays it": async (
        harness,
      ) => {
        const create: Create = () => {
          throw permanentFailure("The item is sold out.");
        };
        const { send } = await mountOrders(harness, { create });
        const first = await send(keyed);
        const again = await send(keyed);
        for (const reply of [first, again]) {
          checkStatus(reply, 202);
          const { operationId, status } = jsonOf(reply);
          deepEqual(status, "failed", "the status");
          checkFields(reply, { location: `/operations/${operationId}`, "retry-after": "0" });
        }
        deepEqual(again.body, first.body, "the body of the replay");
        checkFields(again, { "idempotent-replayed": "true" });
        const shown = jsonOf(await send(request("GET", field(first, "location") ?? "")));
        deepEqual((shown.error as Record<string, unknown>).detail, "The item is sold out.", "the reason");
      },
      "answers 503 and aborts the signal if the creation takes too long": async (harness) => {
        let aborted = false;
        const create: Create = (_order, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              aborted = true;
            });
          });
        const { send } = await mountOrders(harness, { create, createTimeoutMs: 20 });
        checkProblem(await send(keyed), 503, "creation-failed");
        ok(aborted, "the signal of the creation should be aborted");
      },
    },
    "draft-ietf-httpapi-idempotency-key-header-07 §2.7": {
      "answers 409 with Retry-After to a duplicate while the order is being created": async (harness) => {
        const gate = createGate();
        const create: Create = async (order, context) => {
          await gate.pass();
          return created(order, context);
        };
        const { send } = await mountOrders(harness, { create });
        const first = send(keyed);
        await gate.reached;
        const duplicate = await send(keyed);
        checkProblem(duplicate, 409, "creation-in-progress", { "retry-after": WHOLE_SECONDS });
        gate.open();
        checkStatus(await first, 201);
        const replay = await send(keyed);
        checkStatus(replay, 201);
        deepEqual(replay.body, (await first).body, "the body of the replay");
      },
    },
    "spec §1.6": {
      "creates one order for concurrent duplicates and answers each with its 201 or a 409": async (
        harness,
      ) => {
        const ids = new Set<string>();
        const create: Create = async (order, context) => {
          ids.add(context.operationId);
          return created(order, context);
        };
        const { send, recorded } = await mountOrders(harness, { create });
        const replies = await Promise.all(Array.from({ length: 30 }, () => send(keyed)));
        const others = replies.filter(({ status }) => status !== 201 && status !== 409);
        deepEqual(others, [], "replies that are neither 201 nor 409");
        const bodies = new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body));
        deepEqual(bodies.size, 1, "number of distinct orders in replies");
        deepEqual(ids.size, 1, "number of operations that orders were created for");
        deepEqual((await recorded()).length, 1, "number of operations");
      },
    },
  }),
  ...[
    ["/a\r\nset-cookie: a=b", "/a%0D%0Aset-cookie:%20a=b"],
    ["/a\u0000b", "/a%00b"],
    ["/b\u00fccher/\u{1f4da}", "/b%C3%BCcher/%F0%9F%93%9A"],
  ].map(([location = "", expected]) =>
    replyCase({
      name: `escapes the Location ${JSON.stringify(location)} of an order for use in a header field`,
      rule: "RFC 3986 §2",
      options: { create: () => ({ body: {}, location }) },
      request: submission(),
      status: 201,
      fields: { location: expected, "set-cookie": undefined },
    }),
  ),
];
