import {
  type Authorize,
  allowAnonymous,
  bearer,
  createService,
  defineOperation,
  forbidden,
} from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { jsonPost } from "../service/open-service.js";
import {
  mountOrders,
  type Options,
  type Orders,
  request,
  submission,
  TOKENS,
} from "../support/adapter-suite/fixtures/orders-fixture.js";
import { operationIdOf } from "../support/adapter-suite/fixtures/reply-checks.js";
import { modes } from "../support/composed-backend.js";
import { interceptBackend, type PortCall } from "../support/intercept-backend.js";
import { createPlainHarness } from "../support/plain-harness.js";
import { idOf, watchedBackend } from "./service-process.js";

const UNKNOWN = "01980000-0000-7000-8000-000000000000";
const ofB = { authorization: "Bearer token-of-b" };

/** Mounts an order service and records every call of its stores. */
async function watched(options: Options = {}): Promise<Orders & { readonly calls: PortCall[] }> {
  const calls: PortCall[] = [];
  const harness = createPlainHarness();
  const backend = interceptBackend(harness.createBackend(), (call, proceed) => {
    if (call.port !== "queue") calls.push(call);
    return proceed();
  });
  return { ...(await mountOrders(harness, { backend, ...options })), calls };
}

async function submit({ send }: Orders, fields = {}): Promise<string> {
  return operationIdOf(await send(submission({ fields })));
}

describe("S1: another tenant's operation", () => {
  it.each(["GET", "HEAD", "DELETE"])(
    "gets the same reply bytes and the same store calls for %s as an unknown id",
    async (method) => {
      const orders = await watched({ cancellable: true });
      const id = await submit(orders);
      const replies: unknown[] = [];
      for (const each of [id, UNKNOWN]) {
        orders.calls.length = 0;
        const reply = await orders.send(request(method, `/operations/${each}`, ofB));
        expect(reply.status).toBe(404);
        const calls = JSON.stringify(orders.calls).replaceAll(each, "the id");
        expect(calls).toContain('"b"');
        replies.push({ reply, calls });
      }
      expect(replies[0]).toEqual(replies[1]);
    },
  );
});

describe.each(modes)("S2: the scope of a key with $mode", ({ createBackend }) => {
  it("includes the tenant: two tenants can use the same key for different operations", async () => {
    const orders = await mountOrders(createPlainHarness(), { backend: createBackend() });
    const key = { "idempotency-key": "k" };
    const ids = [await submit(orders, key), await submit(orders, { ...key, ...ofB })];
    expect(new Set(ids).size).toBe(2);
    expect([await submit(orders, key), await submit(orders, { ...key, ...ofB })]).toEqual(ids);
  });

  it("includes the definition: the same key at another path is a different key", async () => {
    const input = z.object({});
    const definitions = ["reports", "exports"].map((name) =>
      defineOperation({ name, path: `/${name}`, input }),
    );
    const service = createService({ backend: createBackend(), authorize: allowAnonymous(), definitions });
    const ids = new Set<string>();
    for (const path of ["/reports", "/exports", "/reports"])
      ids.add(idOf(await service.handle(jsonPost(path, {}, { "idempotency-key": "k" }))));
    expect(ids.size).toBe(2);
  });

  it("protects replays: without credentials a known key gets 401 and no store is asked", async () => {
    const { backend, calls } = watchedBackend(createBackend());
    const orders = await mountOrders(createPlainHarness(), { backend });
    await submit(orders, { "idempotency-key": "k" });
    calls.length = 0;
    const fields = { "idempotency-key": "k", authorization: undefined };
    expect((await orders.send(submission({ fields }))).status).toBe(401);
    expect(calls).toEqual([]);
  });
});

describe("S8: a principal with read access only", () => {
  it("cannot submit and cannot cancel", async () => {
    const known = bearer(TOKENS);
    const authorize: Authorize = (asking, authorization) => {
      if (asking.header("authorization") === ofB.authorization && authorization.action !== "read")
        throw forbidden();
      return known(asking, authorization);
    };
    const orders = await watched({ authorize, cancellable: true });
    const id = await submit(orders);
    expect((await orders.send(submission({ fields: ofB }))).status).toBe(403);
    expect((await orders.send(request("DELETE", `/operations/${id}`, ofB))).status).toBe(403);
    expect((await orders.send(request("GET", `/operations/${UNKNOWN}`, ofB))).status).toBe(404);
    expect((await orders.recorded()).map(({ state }) => state)).toEqual(["pending"]);
  });
});

describe("S9: the rate of requests", () => {
  it.each([
    [1e30, "2147483647"],
    [Number.MAX_SAFE_INTEGER, "2147483647"],
    [0.1, "1"],
    [-1, "0"],
    [Number.POSITIVE_INFINITY, "1"],
  ])("is limited with a Retry-After in whole seconds, for %d", async (retryAfterSeconds, field) => {
    const orders = await watched({ admit: () => ({ status: 503, retryAfterSeconds }) });
    expect((await orders.send(submission())).headers).toContainEqual(["retry-after", field]);
  });

  it("can be limited per principal, right after authorization", async () => {
    const seen: unknown[] = [];
    const orders = await watched({
      admit: (_, principal, { action }) => {
        seen.push([principal, action]);
        return principal.id === "b" ? { status: 429, retryAfterSeconds: 30 } : undefined;
      },
    });
    const limited = await orders.send(submission({ fields: ofB }));
    expect(limited.status).toBe(429);
    expect(limited.headers).toContainEqual(["retry-after", "30"]);
    expect(orders.calls).toEqual([]);
    expect((await orders.send(submission({ fields: { authorization: undefined } }))).status).toBe(401);
    expect((await orders.send(submission())).status).toBe(202);
    expect(seen).toEqual([
      [{ id: "b", tenant: "b" }, "submit"],
      [{ id: "a", tenant: "a" }, "submit"],
    ]);
  });

  it("is visible to the observer if a key is reused with a different payload", async () => {
    const orders = await watched();
    await submit(orders, { "idempotency-key": "k" });
    const other = submission({ fields: { "idempotency-key": "k" }, body: '{"itemId":"x","quantity":1}' });
    expect((await orders.send(other)).status).toBe(422);
    expect(orders.events).toContainEqual({ event: "key.reused", definition: "orders", tenant: "a" });
  });
});
