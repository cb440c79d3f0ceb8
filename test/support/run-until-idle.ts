import {
  allowAnonymous,
  type Backend,
  createService,
  createWorker,
  defineOrders,
  type ServiceEvent,
  type Worker,
} from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import { expect, it } from "vitest";
import { interceptBackend } from "./intercept-backend.js";
import { signalOf } from "./signal.js";

const orders = defineOrders();
const TENANT = "anonymous";
/** More claims than these cases need. A worker that never ends would starve the test otherwise. */
const MAX_CLAIMS = 50;

/** A backend that refuses to be claimed from in a loop, and counts the claims. */
function watched(backend: Backend): { readonly backend: Backend; readonly claims: () => number } {
  let claims = 0;
  const counted = interceptBackend(backend, ({ method }, proceed) => {
    if (method === "claim") claims += 1;
    return claims > MAX_CLAIMS ? Promise.reject(new Error("The worker claims in a loop.")) : proceed();
  });
  return { backend: counted, claims: () => claims };
}

/** A worker with one slot, one order in progress and one that is due. */
async function createScene(open: () => Promise<Backend> | Backend) {
  const { backend, claims } = watched(await open());
  const events: ServiceEvent[] = [];
  const observe = (event: ServiceEvent): number => events.push(event);
  const service = createService({ definitions: [orders], backend, authorize: allowAnonymous(), observe });
  const submit = async (): Promise<string> =>
    (await service.submit(orders, { itemId: "book", quantity: 1 }, { tenant: TENANT })).operationId;
  const ids = [await submit(), await submit()];
  const begun = signalOf();
  const finish = signalOf();
  const run = async (): Promise<void> => {
    begun.resolve();
    await finish.promise;
  };
  const newWorker = (): Worker => createWorker(service, { orders: run }, { concurrency: 1 });
  return {
    claims,
    begun: begun.promise,
    finish: finish.resolve,
    newWorker,
    states: async () => {
      const found = await Promise.all(ids.map((id) => backend.operations.get(id, TENANT)));
      return found.map((operation) => (operation as Operation).state).toSorted();
    },
    countOf: (name: ServiceEvent["event"]) => events.filter(({ event }) => event === name).length,
  };
}

/** Declares how `runUntilIdle` ends early. */
export function declareRunUntilIdle(open: () => Promise<Backend> | Backend): void {
  it("ends when its worker is stopped, and leaves the due work to other workers", async () => {
    const { newWorker, begun, finish, states, claims, countOf } = await createScene(open);
    const stopping = newWorker();
    const idle = stopping.runUntilIdle();
    await begun;
    const stopped = stopping.stop();
    finish();
    await Promise.all([idle, stopped]);
    expect(await states()).toEqual(["completed", "pending"]);
    expect(countOf("operation.released")).toBe(0);
    expect(claims()).toBe(1);
    await stopping.runUntilIdle();
    expect(claims()).toBe(1);
    await newWorker().runUntilIdle();
    expect(await states()).toEqual(["completed", "completed"]);
  });

  it("ends when its signal is aborted, after the attempts that run, and can be called again", async () => {
    const { newWorker, begun, finish, states, claims, countOf } = await createScene(open);
    const worker = newWorker();
    const ending = new AbortController();
    const idle = worker.runUntilIdle({ signal: ending.signal });
    await begun;
    ending.abort();
    finish();
    await idle;
    expect(await states()).toEqual(["completed", "pending"]);
    expect(countOf("operation.released")).toBe(0);
    expect(claims()).toBe(1);
    await worker.runUntilIdle({ signal: ending.signal });
    expect(claims()).toBe(1);
    await worker.runUntilIdle();
    expect(await states()).toEqual(["completed", "completed"]);
    await worker.stop();
  });
}
