import {
  type Backend,
  createMemoryBackend,
  createWorker,
  defineOrders,
  type Queue,
  withQueue,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished } from "vitest";

const orders = defineOrders();
const RING = { definition: "orders" };

/** A worker on a back end with another queue, and one order of which nothing has rung. */
async function stage() {
  const clock = createManualClock();
  const own = createMemoryBackend({ clock });
  const other = createMemoryBackend({ clock }).queue;
  const backend: Backend = withQueue(own, other);
  let done = 0;
  const source = { definitions: [orders], backend, runtime: { clock } } as const;
  const worker = createWorker(source, { orders: () => void done++ });
  onTestFinished(() => worker.stop());
  await worker.start();
  await clock.advance(1);
  const order = {
    tenant: "a",
    definition: "orders",
    input: '{"itemId":"a","quantity":1}',
    retentionMs: 1_000,
  };
  await own.operations.create({ ...order, id: "01980000-0000-7000-8000-000000000000" });
  await clock.advance(1);
  expect(done).toBe(0);
  return { clock, own: own.queue, other, backend, done: () => done };
}

it.each<[string, (queues: Awaited<ReturnType<typeof stage>>) => Queue]>([
  ["the other queue", ({ other }) => other],
  ["the queue of the back end, which rings for transactions", ({ own }) => own],
  ["the back end that has both", ({ backend }) => backend.queue],
])("a worker hears %s", async (_, choose) => {
  const staged = await stage();
  await choose(staged).publish([RING]);
  await staged.clock.advance(1);
  expect(staged.done()).toBe(1);
});

it("a ring of a service goes to the other queue only", async () => {
  const { own, other, backend } = await stage();
  const heard: string[] = [];
  for (const [name, queue] of Object.entries({ own, other })) {
    const listening = queue.listen({ onRing: () => void heard.push(name), onError: () => {} });
    listening.want(new Set(["orders"]));
    onTestFinished(() => listening.close());
  }
  await backend.queue.publish([RING]);
  expect(heard).toEqual(["other"]);
});
