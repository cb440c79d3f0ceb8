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
import { signalOf } from "./worker-stage.js";

const orders = defineOrders();
const TENANT = "anonymous";
/** More receipts than these cases need. A worker that never ends would starve the test otherwise. */
const MAX_RECEIPTS = 50;

/** A backend that refuses to be received from in a loop, and notes the calls to its consumers. */
function watched(backend: Backend): { readonly backend: Backend; readonly calls: string[] } {
  const calls: string[] = [];
  const queue: Backend["queue"] = {
    publish: (announcements) => backend.queue.publish(announcements),
    close: () => backend.queue.close(),
    consume: (request) => {
      const consumer = backend.queue.consume(request);
      return {
        receive: (received) => {
          calls.push("receive");
          if (calls.length > MAX_RECEIPTS) throw new Error("The worker receives in a loop.");
          return consumer.receive(received);
        },
        close: () => {
          calls.push("close");
          return consumer.close();
        },
      };
    },
  };
  return { backend: { ...backend, queue }, calls };
}

/** A worker with one slot, one order in progress and one that is due. */
async function createScene(open: () => Promise<Backend> | Backend) {
  const { backend, calls } = watched(await open());
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
    calls,
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
    const { newWorker, begun, finish, states, calls, countOf } = await createScene(open);
    const stopping = newWorker();
    const idle = stopping.runUntilIdle();
    await begun;
    const stopped = stopping.stop();
    finish();
    await Promise.all([idle, stopped]);
    expect(await states()).toEqual(["completed", "pending"]);
    expect(countOf("operation.released")).toBe(0);
    expect(calls).toEqual(["receive", "close"]);
    await stopping.runUntilIdle();
    expect(calls).toEqual(["receive", "close"]);
    await newWorker().runUntilIdle();
    expect(await states()).toEqual(["completed", "completed"]);
  });

  it("ends when its signal is aborted, after the attempts that run, and can be called again", async () => {
    const { newWorker, begun, finish, states, calls, countOf } = await createScene(open);
    const worker = newWorker();
    const ending = new AbortController();
    const idle = worker.runUntilIdle({ signal: ending.signal });
    await begun;
    ending.abort();
    finish();
    await idle;
    expect(await states()).toEqual(["completed", "pending"]);
    expect(countOf("operation.released")).toBe(0);
    expect(calls).toEqual(["receive", "close"]);
    await worker.runUntilIdle({ signal: ending.signal });
    expect(calls).toEqual(["receive", "close"]);
    await worker.runUntilIdle();
    expect(await states()).toEqual(["completed", "completed"]);
    await worker.stop();
  });
}
