import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOrders,
  withQueue,
} from "async-request-reply";
import type { Ring } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it, vi } from "vitest";
import { nextTurn } from "../../src/platform/waits.js";
import { replacing } from "../support/replacing.js";
import { declareRunUntilIdle } from "../support/run-until-idle.js";
import { createStage, signalOf } from "../support/worker-stage.js";
import { submitted, withOperations } from "./stage.js";

describe("runUntilIdle in memory", () => {
  declareRunUntilIdle(() => createMemoryBackend({ clock: createManualClock() }));

  it("lets the rest of the process work between its rounds", async () => {
    const definition = defineOrders();
    const backend = createMemoryBackend();
    const service = createService({ definitions: [definition], backend });
    const submit = () => service.submit(definition, { itemId: "a", quantity: 1 });
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
    const publish = async (rings: readonly Ring[]): Promise<void> => {
      await nextTurn();
      await memory.queue.publish(rings);
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

  it("stops its worker only after the claim in progress, and runs what that has begun", async () => {
    const claiming = signalOf();
    const goOn = signalOf();
    let claims = 0;
    const change = withOperations((operations) => ({
      claim: async (request) => {
        claims += 1;
        claiming.resolve();
        await goOn.promise;
        return operations.claim(request);
      },
    }));
    const { id, worker, read } = await submitted(createStage([defineOrders()], change));
    const stopping = worker({ orders: () => "done" });
    const idle = stopping.runUntilIdle();
    await claiming.promise;
    const stopped = stopping.stop();
    goOn.resolve();
    await Promise.all([idle, stopped]);
    expect([claims, await read(id)]).toMatchObject([1, { state: "pending", attempt: 0 }]);
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
