import { createMemoryBackend, defineOrders, type OperationStore, withQueue } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/ports/waits.js";
import { receivingBy } from "../support/consumers.js";
import { replacing } from "../support/replacing.js";
import { createStage } from "../support/worker-stage.js";

describe("the acknowledgment of a message", () => {
  it("delays the end of the worker, but not the work", async () => {
    let acknowledge: () => void = () => {};
    const acknowledged = new Promise<void>((resolve) => {
      acknowledge = resolve;
    });
    const { clock, submit, read, worker } = createStage([defineOrders()], (backend) => {
      const consume = receivingBy(backend.queue, async (request, consumer) => {
        const deliveries = await consumer.receive(request);
        return deliveries.map(({ announcement, nack }) => ({ announcement, nack, ack: () => acknowledged }));
      });
      return withQueue(backend, replacing(backend.queue, consume));
    });
    const id = await submit();
    const working = worker({ orders: () => "done" });
    await working.start();
    while ((await read(id)).state === "pending") await clock.advance(1);
    expect(await read(id)).toMatchObject({ state: "completed" });

    let stopped = false;
    const stopping = working.stop().then(() => {
      stopped = true;
    });
    await clock.advance(1);
    expect(stopped).toBe(false);
    acknowledge();
    await stopping;
  });

  it("does not come while its definition is paused, so that the queue delivers it again", async () => {
    const answers: string[] = [];
    let store: OperationStore | undefined;
    const { clock, submit, read, worker } = createStage([defineOrders()], (backend) => {
      store = backend.operations;
      // A queue that knows nothing of pauses, like a message broker.
      const { queue } = createMemoryBackend();
      const consume = receivingBy(queue, async (request, consumer) => {
        const deliveries = await consumer.receive(request);
        return deliveries.map(({ announcement, ack }) => ({
          announcement,
          ack: () => ack().then(() => void answers.push("ack")),
          nack: async () => {
            answers.push("nack");
            await nextTurn();
            await queue.publish([announcement]);
          },
        }));
      });
      return withQueue(backend, replacing(queue, consume));
    });
    await store?.pause?.("orders");
    const id = await submit();
    const working = worker({ orders: () => "done" });
    await working.start();
    while (answers.length < 3) await clock.advance(1);
    expect(answers).not.toContain("ack");
    expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
    await store?.resume?.("orders");
    while ((await read(id)).state === "pending") await clock.advance(1);
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
    await working.stop();
  });
});
