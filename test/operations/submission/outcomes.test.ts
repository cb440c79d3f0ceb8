import {
  AsyncReplyError,
  type Backend,
  createMemoryBackend,
  createMemoryStores,
  defineOrders,
} from "async-request-reply";
import type { SeparateStores } from "async-request-reply/ports";
import { expect, it } from "vitest";
import { jsonPost, openService } from "../../service/open-service.js";
import { replacing } from "../../support/replacing.js";

/** Returns the codes with which submissions are refused. */
async function codesOf(backend: Backend<never> | SeparateStores, count = 1): Promise<readonly string[]> {
  const { service, events } = openService([defineOrders()], { backend });
  for (let sent = 0; sent < count; sent += 1)
    await service.handle(
      jsonPost("/orders", { itemId: "a", quantity: 1 }, { "idempotency-key": `k${sent}` }),
    );
  return events.flatMap((event) => (event.event === "request.refused" ? [event.code] : []));
}

/** Creates two separate stores, one of which fails. */
function composed(store: "operations" | "idempotency", method: string, error: unknown): SeparateStores {
  const stores = createMemoryStores();
  return { ...stores, [store]: replacing<object>(stores[store], { [method]: () => Promise.reject(error) }) };
}

const unsaid = new AsyncReplyError("STORE_UNAVAILABLE", "The store cannot be reached.");
const certain = new AsyncReplyError("STORE_UNAVAILABLE", "The store cannot be reached.", { recorded: "no" });

it("is certain if the memory back end is full", async () => {
  expect(await codesOf(createMemoryBackend({ maxOperations: 1 }), 2)).toEqual(["OVERLOADED"]);
});

it.each([
  ["uncertain unless the store reports otherwise", "idempotency", "bind", unsaid, "SUBMISSION_UNCERTAIN"],
  ["certain if the key was not bound", "idempotency", "bind", certain, "STORE_UNAVAILABLE"],
  // Another request with the key may create the operation.
  ["uncertain once the key was bound", "operations", "create", certain, "SUBMISSION_UNCERTAIN"],
] as const)("is %s", async (_, store, method, error, code) => {
  expect(await codesOf(composed(store, method, error))).toEqual([code]);
});
