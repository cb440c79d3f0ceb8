import {
  AsyncReplyError,
  type Backend,
  createMemoryBackend,
  createMemoryStores,
  createOrderService,
  type ServiceEvent,
} from "async-request-reply";
import type { SeparateStores } from "async-request-reply/ports";
import { expect, it } from "vitest";

const post = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json", "idempotency-key": "k" },
  body: '{"itemId":"a","quantity":1}',
};

/** Returns the codes with which submissions are refused. */
async function codesOf(backend: Backend<never> | SeparateStores, count = 1): Promise<readonly string[]> {
  const events: ServiceEvent[] = [];
  const service = createOrderService({
    authorize: () => ({ id: "a" }),
    backend,
    observe: (event) => events.push(event),
  });
  for (let sent = 0; sent < count; sent += 1)
    await service.handle({ ...post, headers: { ...post.headers, "idempotency-key": `k${sent}` } });
  return events.flatMap((event) => (event.event === "request.refused" ? [event.code] : []));
}

/** Creates two separate stores, one of which fails. */
function composed(store: "operations" | "idempotency", method: string, error: unknown): SeparateStores {
  const stores = createMemoryStores();
  const failing = new Proxy(stores[store], {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name === method) return () => Promise.reject(error);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { ...stores, [store]: failing };
}

const unsaid = new AsyncReplyError("STORE_UNAVAILABLE", "The store cannot be reached.");
const certain = new AsyncReplyError("STORE_UNAVAILABLE", "The store cannot be reached.", { recorded: "no" });

it("is certain if the memory back end is full", async () => {
  expect(await codesOf(createMemoryBackend({ maxOperations: 1 }), 2)).toEqual(["OVERLOADED"]);
});

it("is uncertain unless the store reports otherwise", async () => {
  expect(await codesOf(composed("idempotency", "bind", unsaid))).toEqual(["SUBMISSION_UNCERTAIN"]);
});

it("is certain if the key was not bound", async () => {
  expect(await codesOf(composed("idempotency", "bind", certain))).toEqual(["STORE_UNAVAILABLE"]);
});

it("is uncertain once the key was bound, because another request with it may create the operation", async () => {
  expect(await codesOf(composed("operations", "create", certain))).toEqual(["SUBMISSION_UNCERTAIN"]);
});
