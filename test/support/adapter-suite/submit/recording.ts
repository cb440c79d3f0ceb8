import { AsyncReplyError, permanentFailure } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { deepEqual, ok } from "../../../../src/testing/expect.js";
import { interceptBackend } from "../../intercept-backend.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, ORDER, request, submission, UNKNOWN } from "../fixtures/orders-fixture.js";
import { checkProblem } from "../fixtures/refusal.js";
import { checkFields, checkStatus, jsonOf, operationIdOf, WHOLE_SECONDS } from "../fixtures/reply-checks.js";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const keyed = (key: string, body?: string): Parameters<typeof submission>[0] => ({
  fields: { "idempotency-key": key },
  ...(body === undefined ? {} : { body }),
});

/** Delay after which the sweep announces an operation that was never started. */
const ANNOUNCED_AGAIN_MS = 30_000;

/** The 202, and the effects of a key. */
export const recordingCases = [
  ...casesOf({
    "spec §4.1": {
      "answers 202 with exactly the members of the contract": async (harness) => {
        const { send, recorded } = await mountOrders(harness);
        const reply = await send(submission());
        const operationId = operationIdOf(reply);
        ok(UUID_V7.test(operationId), `expected a UUID v7 as operationId, got ${operationId}`);
        deepEqual(jsonOf(reply), { operationId, status: "pending" }, "the body");
        checkFields(reply, {
          location: `/operations/${operationId}`,
          "retry-after": WHOLE_SECONDS,
          "content-type": "application/json",
          "content-length": String(reply.body.length),
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          vary: "accept",
          "idempotent-replayed": undefined,
        });
        const [{ id, tenant, definition, input } = {}, ...others] = await recorded();
        deepEqual([id, tenant, definition, input], [operationId, "a", "orders", ORDER], "the operation");
        deepEqual(others, [], "other operations");
      },
    },
    "spec §4.2": {
      "serves the operation at its Location as soon as the 202 arrives, before any worker starts it": async (
        harness,
      ) => {
        const { send } = await mountOrders(harness);
        const accepted = await send(submission());
        const { headers } = accepted;
        const location = headers.find(([name]) => name === "location")?.[1] ?? "";
        const reply = await send(request("GET", location));
        checkStatus(reply, 200);
        deepEqual(jsonOf(reply).operationId, operationIdOf(accepted), "the operationId");
      },
    },
    "draft-ietf-httpapi-idempotency-key-header-07 §2.6": {
      "replays the first reply when the key is used again, with the current status": async (harness) => {
        const { send, work, recorded } = await mountOrders(harness);
        const first = await send(submission(keyed("k")));
        const operationId = operationIdOf(first);
        const same = {
          location: `/operations/${operationId}`,
          "content-type": "application/json",
          "cache-control": "no-store",
          "idempotent-replayed": "true",
        };
        const second = await send(submission(keyed("k")));
        checkStatus(second, 202);
        deepEqual(jsonOf(second), { operationId, status: "pending" }, "the body while pending");
        checkFields(second, { ...same, "retry-after": WHOLE_SECONDS });
        await work();
        const third = await send(submission(keyed("k")));
        checkStatus(third, 202);
        deepEqual(jsonOf(third), { operationId, status: "completed" }, "the body afterwards");
        checkFields(third, { ...same, "retry-after": "0" });
        deepEqual((await recorded()).length, 1, "the number of operations");
      },
    },
    "spec §1.6": {
      "replays a failed operation too, because a failure does not free the key": async (harness) => {
        const { send, work } = await mountOrders(harness);
        const operationId = operationIdOf(await send(submission(keyed("k"))));
        await work(() => {
          throw permanentFailure("The item is sold out.");
        });
        const again = await send(submission(keyed("k")));
        checkStatus(again, 202);
        deepEqual(jsonOf(again), { operationId, status: "failed" }, "the body");
        checkFields(again, { "retry-after": "0", "idempotent-replayed": "true" });
      },
      "records one operation for any number of concurrent requests with one key": async (harness) => {
        const { send, recorded } = await mountOrders(harness);
        const replies = await Promise.all(Array.from({ length: 50 }, () => send(submission(keyed("k")))));
        deepEqual(new Set(replies.map(operationIdOf)).size, 1, "number of operations in the replies");
        const replayed = replies.filter(({ headers }) =>
          headers.some(([name]) => name === "idempotent-replayed"),
        );
        deepEqual(replayed.length, 49, "number of replays");
        deepEqual((await recorded()).length, 1, "number of operations");
      },
    },
    "docs/idempotency.md, what counts as the same request": {
      "recognizes a repeated request despite other member order, white space and number spelling": async (
        harness,
      ) => {
        const { send } = await mountOrders(harness);
        const operationId = operationIdOf(await send(submission(keyed("k"))));
        const others = ['{ "quantity": 2.0,\n "itemId": "book" }', '{"itemId":"\\u0062ook","quantity":2e0}'];
        for (const body of others)
          deepEqual(operationIdOf(await send(submission(keyed("k", body)))), operationId, "the operation");
      },
    },
    "draft-ietf-httpapi-idempotency-key-header-07 §2.7": {
      "answers 422 with a separate problem type when a key is reused with another payload": async (
        harness,
      ) => {
        const { send, recorded, events } = await mountOrders(harness);
        const operationId = operationIdOf(await send(submission(keyed("k"))));
        const other = await send(submission(keyed("k", '{"itemId":"book","quantity":3}')));
        checkProblem(other, 422, "idempotency-key-reused");
        ok(!other.body.includes(operationId), "the problem should not reveal the operation of the key");
        const reused = events.filter(({ event }) => event === "key.reused");
        deepEqual(reused, [{ event: "key.reused", definition: "orders", tenant: "a" }], "the observed event");
        deepEqual((await recorded())[0]?.input, ORDER, "the input");
        deepEqual((await recorded()).length, 1, "the number of operations");
        deepEqual(operationIdOf(await send(submission(keyed("k")))), operationId, "the operation of the key");
      },
    },
    "RFC 9110 §9.2.2": {
      "accepts two operations if there is no key": async (harness) => {
        const { send, recorded } = await mountOrders(harness);
        const first = operationIdOf(await send(submission()));
        const second = operationIdOf(await send(submission()));
        ok(first !== second, "expected a separate operation for each request");
        deepEqual((await recorded()).length, 2, "the number of operations");
      },
    },
    "docs/security.md, tenants": {
      "keeps the keys of two tenants apart, with equal and different payloads": async (harness) => {
        const { send } = await mountOrders(harness);
        const fieldsOfB = { "idempotency-key": "k", authorization: "Bearer token-of-b" };
        const ofA = operationIdOf(await send(submission(keyed("k"))));
        const ofB = await send(submission({ fields: fieldsOfB, body: '{"itemId":"pen","quantity":1}' }));
        ok(operationIdOf(ofB) !== ofA, "expected a separate operation for the other principal");
        checkFields(ofB, { "idempotent-replayed": undefined });
      },
      "shares keys and operations between the principals of one tenant": async (harness) => {
        const { send } = await mountOrders(harness, {
          authorize: (asking) => ({ id: asking.header("authorization") ?? "", tenant: "tenant" }),
        });
        const operationId = operationIdOf(await send(submission(keyed("k"))));
        const authorization = "Bearer token-of-b";
        const again = submission({ fields: { "idempotency-key": "k", authorization } });
        deepEqual(operationIdOf(await send(again)), operationId, "the operation of the other principal");
        checkStatus(await send(request("GET", `/operations/${operationId}`, { authorization })), 200);
      },
    },
    "docs/problems.md, internal": {
      "answers 500 without details when a store throws an unexpected error": async (harness) => {
        const backend = interceptBackend(harness.createBackend(), async (call, proceed) => {
          if (call.port === "queue") return proceed();
          throw new TypeError("Cannot read properties of undefined (reading 'rows')");
        });
        const { send } = await mountOrders(harness, { backend, cancellable: true });
        for (const each of [submission(keyed("k")), request("GET", UNKNOWN), request("DELETE", UNKNOWN)]) {
          const reply = await send(each);
          checkProblem(reply, 500, "internal", { "retry-after": undefined });
          ok(!reply.body.includes("rows"), "the problem should not reveal the error");
          deepEqual(jsonOf(reply).detail, undefined, "the detail");
        }
      },
    },
    "docs/decisions/work.md": {
      "answers 202 while the queue is unavailable, and completes the work once it is back": async (
        harness,
      ) => {
        const clock = createManualClock();
        let away = true;
        const backend = interceptBackend(harness.createBackend({ clock }), async (call, proceed) => {
          if (away && call.method === "publish")
            throw new AsyncReplyError("QUEUE_UNAVAILABLE", "The broker is away.");
          return proceed();
        });
        const { send, states, work } = await mountOrders(harness, { backend, runtime: { clock } });
        checkStatus(await send(submission()), 202);
        deepEqual(await states(), ["pending"], "the states while the queue is unavailable");
        away = false;
        await clock.advance(ANNOUNCED_AGAIN_MS);
        await work();
        deepEqual(await states(), ["completed"], "the states once the queue is back");
      },
    },
  }),
  ...(["STORE_UNAVAILABLE", "OVERLOADED"] as const).map(
    (code): AdapterCase => ({
      name: `answers 503 with Retry-After while the store reports ${code}, and accepts the same key later`,
      rule: "RFC 9110 §15.6.4",
      run: async (harness) => {
        let down = true;
        const backend = interceptBackend(harness.createBackend(), async (call, proceed) => {
          if (down && call.port !== "queue")
            throw new AsyncReplyError(code, "connect ECONNREFUSED 10.0.0.7:5432");
          return proceed();
        });
        const { send, recorded } = await mountOrders(harness, { backend, cancellable: true });
        for (const each of [submission(keyed("k")), request("GET", UNKNOWN), request("DELETE", UNKNOWN)]) {
          const refused = await send(each);
          checkProblem(refused, 503, "unavailable", { "retry-after": WHOLE_SECONDS });
          ok(!refused.body.includes("10.0.0.7"), "the problem should not reveal the address of the store");
        }
        down = false;
        checkStatus(await send(submission(keyed("k"))), 202);
        deepEqual((await recorded()).length, 1, "the number of operations");
      },
    }),
  ),
];
