import { allowAnonymous, createMemoryBackend, createOrderService, createWorker } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

function refuse(): never {
  throw new Error("Disallowed operation called within global tenant.");
}

/** What Workers refuse while a module is loaded: outside of a request nothing is drawn, waited for or aborted. */
function refuseAsWorkersDo(): void {
  for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch", "AbortController"]) {
    vi.stubGlobal(name, refuse);
  }
  vi.stubGlobal("crypto", { getRandomValues: refuse, randomUUID: refuse, subtle: { digest: refuse } });
}

it("makes services, workers and handlers where a platform has no time, randomness or signals yet", () => {
  refuseAsWorkersDo();
  const service = createOrderService({ backend: createMemoryBackend(), authorize: allowAnonymous() });
  createWorker(service, { orders: () => undefined });
  createWorker({ definitions: service.definitions, backend: service.backend }, { orders: () => undefined });
  expect(toFetchHandler(service)).toBeTypeOf("function");
});
