import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

function refuse(): never {
  throw new Error("Disallowed operation called within global tenant.");
}

/** Workers forbid timers, randomness, fetching and aborting while a module loads, outside of a request. */
function refuseAsWorkersDo(): void {
  for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch", "AbortController"]) {
    vi.stubGlobal(name, refuse);
  }
  vi.stubGlobal("crypto", { getRandomValues: refuse, randomUUID: refuse, subtle: { digest: refuse } });
}

it("creates services, workers and handlers without timers, randomness or abort signals", () => {
  refuseAsWorkersDo();
  const service = createOrderService({ backend: createMemoryBackend(), authorize: allowAnonymous() });
  createWorker(service, { orders: () => undefined });
  createWorker({ definitions: service.definitions, backend: service.backend }, { orders: () => undefined });
  expect(toFetchHandler(service)).toBeTypeOf("function");
});
