import {
  allowAnonymous,
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
  withQueue,
} from "async-request-reply";
import type { Announcement } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, vi } from "vitest";
import { nextTurn } from "../../src/ports/waits.js";
import { replacing } from "../support/replacing.js";
import { declareRunUntilIdle } from "../support/run-until-idle.js";
import { createStage, signalOf } from "../support/worker-stage.js";

describe("runUntilIdle in memory", () => {
  declareRunUntilIdle(() => createMemoryBackend({ clock: createManualClock() }));

  it("lets the rest of the process work between its rounds", async () => {
    const definition = defineOrders();
    const backend = createMemoryBackend();
    const service = createService({ definitions: [definition], backend, authorize: allowAnonymous() });
    const submit = () => service.submit(definition, { itemId: "a", quantity: 1 }, { tenant: "anonymous" });
    let turns = 0;
    let ended = false;
    const count = (): void => {
      turns += 1;
      if (!ended) setImmediate(count);
    };
    setImmediate(count);
    let rounds = 0;
    const orders = async (): Promise<void> => {
      rounds += 1;
      if (rounds < 20) await submit();
    };
    await submit();
    await createWorker(service, { orders }).runUntilIdle();
    ended = true;
    expect(rounds).toBe(20);
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  it("works and stops while operations are submitted all the time", async () => {
    const definition = defineOrders();
    const memory = createMemoryBackend();
    const publish = async (announcements: readonly Announcement[]): Promise<void> => {
      await nextTurn();
      await memory.queue.publish(announcements);
    };
    const backend = withQueue(memory, replacing(memory.queue, { publish }));
    const service = createService({ definitions: [definition], backend });
    let [submitted, ended] = [0, false];
    const submitAll = async (): Promise<void> => {
      for (; submitted < 10_000 && !ended; submitted += 1) {
        await service.submit(definition, { itemId: "a", quantity: 1 });
        await nextTurn();
      }
    };
    const submitting = submitAll();
    const ranAt: number[] = [];
    const worker = createWorker(service, { orders: () => void ranAt.push(submitted) });
    const run = worker.runUntilIdle();
    await vi.waitUntil(() => ranAt.length > 0);
    expect(ranAt[0]).toBeLessThan(100);
    await worker.stop();
    expect(submitted).toBeLessThan(10_000);
    ended = true;
    await Promise.all([run, submitting]);
  });

  it("stops its worker only after the round in progress, which may still use the queue", async () => {
    const calls: string[] = [];
    const sweeping = signalOf();
    const goOn = signalOf();
    const { worker, submit } = createStage([defineOrders()], (backend) => ({
      ...backend,
      queue: {
        publish: (announcements) => backend.queue.publish(announcements),
        close: () => backend.queue.close(),
        consume: (request) => {
          const consumer = backend.queue.consume(request);
          const receive: typeof consumer.receive = async (received) => {
            sweeping.resolve();
            await goOn.promise;
            const deliveries = await consumer.receive(received);
            calls.push(`received ${deliveries.length}`);
            // A worker that never ends would starve the test.
            if (calls.length > 10) throw new Error("The worker receives in a loop.");
            return deliveries;
          };
          return { receive, close: async () => void calls.push("closed") };
        },
      },
    }));
    await submit();
    const stopping = worker({ orders: () => "done" });
    const idle = stopping.runUntilIdle();
    await sweeping.promise;
    const stopped = stopping.stop();
    goOn.resolve();
    await Promise.all([idle, stopped]);
    expect(calls).toEqual(["received 1", "closed"]);
  });

  it("refuses unknown options", async () => {
    const { worker } = createStage();
    const misspelled = { sginal: AbortSignal.abort() } as object;
    await expect(worker({ orders: () => "done" }).runUntilIdle(misspelled)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: "Unknown option `sginal` of worker.runUntilIdle. Did you mean `signal`? Known options: signal.",
    });
  });
});
