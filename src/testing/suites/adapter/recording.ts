import { AsyncReplyError, permanentFailure } from "../../../contract/errors.js";
import { deepEqual, ok } from "../../expect.js";
import { interceptBackend } from "../../intercept-backend.js";
import { createManualClock } from "../../manual-clock.js";
import type { AdapterCase } from "./adapter-case.js";
import { mountOrders, request, submission } from "./orders-fixture.js";
import { checkProblem } from "./refusal.js";
import { checkFields, checkStatus, jsonOf, operationIdOf, WHOLE_SECONDS } from "./reply-checks.js";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const keyed = (key: string, body?: string): Parameters<typeof submission>[0] => ({
  fields: { "idempotency-key": key },
  ...(body === undefined ? {} : { body }),
});

/** The sweep announces an operation that was never begun after this time. */
const ANNOUNCED_AGAIN_MS = 30_000;

const UNKNOWN = "/operations/01980000-0000-7000-8000-000000000000";

/** The 202, and what a key does. */
export const recordingCases: readonly AdapterCase[] = [
  {
    name: "answers 202 with what the contract says, and nothing else in the body",
    rule: "spec §4.1",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness);
      const reply = await send(submission());
      const operationId = operationIdOf(reply);
      ok(UUID_V7.test(operationId), `the operationId should be a UUID v7, but is ${operationId}`);
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
      const operations = (await recorded()).map(({ id, tenant, definition, input }) => ({
        id,
        tenant,
        definition,
        input,
      }));
      const input = '{"itemId":"book","quantity":2}';
      deepEqual(
        operations,
        [{ id: operationId, tenant: "a", definition: "orders", input }],
        "what is recorded",
      );
    },
  },
  {
    name: "shows the operation at its Location as soon as the 202 is there, before anybody works on it",
    rule: "spec §4.2",
    run: async (harness) => {
      const { send } = await mountOrders(harness);
      const accepted = await send(submission());
      const { headers } = accepted;
      const location = headers.find(([name]) => name === "location")?.[1] ?? "";
      const reply = await send(request("GET", location));
      checkStatus(reply, 200);
      deepEqual(jsonOf(reply).operationId, operationIdOf(accepted), "the operationId");
    },
  },
  {
    name: "replays the first reply when the key is used again, with the status of now",
    rule: "draft-ietf-httpapi-idempotency-key-header-07 §2.6",
    run: async (harness) => {
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
  {
    name: "replays the operation that failed, too: a key is not freed by a failure",
    rule: "spec §1.6",
    run: async (harness) => {
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
  },
  {
    name: "takes requests for the same that differ in order, white space and spelling of values",
    rule: "docs/idempotency.md, what counts as the same request",
    run: async (harness) => {
      const { send } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission(keyed("k"))));
      const others = ['{ "quantity": 2.0,\n "itemId": "book" }', '{"itemId":"\\u0062ook","quantity":2e0}'];
      for (const body of others)
        deepEqual(operationIdOf(await send(submission(keyed("k", body)))), operationId, "the operation");
    },
  },
  {
    name: "answers 422 with a problem of its own when the key comes back with another payload",
    rule: "draft-ietf-httpapi-idempotency-key-header-07 §2.7",
    run: async (harness) => {
      const { send, recorded, events } = await mountOrders(harness);
      const operationId = operationIdOf(await send(submission(keyed("k"))));
      const other = await send(submission(keyed("k", '{"itemId":"book","quantity":3}')));
      checkProblem(other, 422, "idempotency-key-reused");
      ok(!other.body.includes(operationId), "the problem should not tell the operation of the key");
      deepEqual(
        events.filter(({ event }) => event === "key.reused"),
        [{ event: "key.reused", definition: "orders", tenant: "a" }],
        "what was observed",
      );
      deepEqual(
        (await recorded()).map(({ input }) => input),
        ['{"itemId":"book","quantity":2}'],
        "the inputs",
      );
      deepEqual(operationIdOf(await send(submission(keyed("k")))), operationId, "the operation of the key");
    },
  },
  {
    name: "accepts two operations when there is no key",
    rule: "RFC 9110 §9.2.2",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness);
      const first = operationIdOf(await send(submission()));
      const second = operationIdOf(await send(submission()));
      ok(first !== second, "each request should have an operation of its own");
      deepEqual((await recorded()).length, 2, "the number of operations");
    },
  },
  {
    name: "keeps the keys of two tenants apart, whatever their payloads",
    rule: "docs/security.md, tenants",
    run: async (harness) => {
      const { send } = await mountOrders(harness);
      const fieldsOfB = { "idempotency-key": "k", authorization: "Bearer token-of-b" };
      const ofA = operationIdOf(await send(submission(keyed("k"))));
      const ofB = await send(submission({ fields: fieldsOfB, body: '{"itemId":"pen","quantity":1}' }));
      ok(operationIdOf(ofB) !== ofA, "the other principal should get an operation of its own");
      checkFields(ofB, { "idempotent-replayed": undefined });
    },
  },
  {
    name: "shares keys and operations between the principals of one tenant",
    rule: "docs/security.md, tenants",
    run: async (harness) => {
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
  {
    name: "gives one operation to any number of concurrent requests with one key",
    rule: "spec §1.6",
    run: async (harness) => {
      const { send, recorded } = await mountOrders(harness);
      const replies = await Promise.all(Array.from({ length: 50 }, () => send(submission(keyed("k")))));
      deepEqual(new Set(replies.map(operationIdOf)).size, 1, "the number of operations that replies name");
      const replayed = replies.filter(({ headers }) =>
        headers.some(([name]) => name === "idempotent-replayed"),
      );
      deepEqual(replayed.length, 49, "the number of replays");
      deepEqual((await recorded()).length, 1, "the number of operations");
    },
  },
  ...(["STORE_UNAVAILABLE", "OVERLOADED"] as const).map(
    (code): AdapterCase => ({
      name: `answers 503 with Retry-After while the store says ${code}, and accepts the same key later`,
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
          checkProblem(refused, 503, "unavailable");
          checkFields(refused, { "retry-after": WHOLE_SECONDS });
          ok(!refused.body.includes("10.0.0.7"), "the problem should not tell where the store is");
        }
        down = false;
        checkStatus(await send(submission(keyed("k"))), 202);
        deepEqual((await recorded()).length, 1, "the number of operations");
      },
    }),
  ),
  {
    name: "answers 500 that tells nothing when a store fails as no store should",
    rule: "docs/problems.md, internal",
    run: async (harness) => {
      const backend = interceptBackend(harness.createBackend(), async (call, proceed) => {
        if (call.port === "queue") return proceed();
        throw new TypeError("Cannot read properties of undefined (reading 'rows')");
      });
      const { send } = await mountOrders(harness, { backend, cancellable: true });
      for (const each of [submission(keyed("k")), request("GET", UNKNOWN), request("DELETE", UNKNOWN)]) {
        const reply = await send(each);
        checkProblem(reply, 500, "internal");
        checkFields(reply, { "retry-after": undefined });
        ok(!reply.body.includes("rows"), "the problem should not tell what was thrown");
        deepEqual(jsonOf(reply).detail, undefined, "the detail");
      }
    },
  },
  {
    name: "answers 202 while the queue is out of reach, and the work is done once it is back",
    rule: "docs/adr/0016",
    run: async (harness) => {
      const clock = createManualClock();
      let away = true;
      const backend = interceptBackend(harness.createBackend({ clock }), async (call, proceed) => {
        if (away && call.method === "publish")
          throw new AsyncReplyError("QUEUE_UNAVAILABLE", "The broker is away.");
        return proceed();
      });
      const { send, recorded, work } = await mountOrders(harness, { backend, runtime: { clock } });
      const states = async () => (await recorded()).map(({ state }) => state);
      checkStatus(await send(submission()), 202);
      deepEqual(await states(), ["pending"], "the states while the queue is away");
      away = false;
      await clock.advance(ANNOUNCED_AGAIN_MS);
      await work();
      deepEqual(await states(), ["completed"], "the states once the queue is back");
    },
  },
];
