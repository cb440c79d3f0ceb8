import { defineOrders, withQueue } from "async-request-reply";
import { describe, expect, it } from "vitest";
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
});
