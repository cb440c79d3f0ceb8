import { createMemoryBackend, withQueue } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { declareRunFor } from "../support/run-for.js";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports } from "./service.js";

describe.each(brokers)("runFor with $name", (broker) => {
  const { client } = useBroker(broker);

  declareRunFor(() => withQueue(createMemoryBackend(), client().createQueue({ name: newQueueName() })), {
    cutMs: 200,
  });

  it("finds the first messages although it never waits, and leaves none behind", async () => {
    const name = newQueueName();
    const backend = withQueue(createMemoryBackend(), client().createQueue({ name }));
    const { submit, close, states } = createSubmitter(backend);
    for (let count = 0; count < 30; count += 1) await submit(count % 2 === 0 ? orders : reports);
    await close();
    const work = createWork();
    const summary = await work.runUntilIdle("a", backend);
    expect(summary).toMatchObject({ completed: 30, idle: true });
    expect(await states()).toEqual(Array(30).fill("completed"));
    await expect.poll(() => client().countMessages(name, "orders")).toBe(0);
    await expect.poll(() => client().countMessages(name, "reports")).toBe(0);
    await work.stop();
    await backend.close();
  });
});
