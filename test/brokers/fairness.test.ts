import { createMemoryBackend, withQueue } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports, type Work } from "./service.js";

/** Shorter than the time after which an idle worker claims without a ring. */
const IN_TIME = { timeout: 5_000, interval: 10 };
const COUNT = 40;

describe.each(brokers)("workers with rings on $name", (broker) => {
  const { client } = useBroker(broker);
  let work: Work;
  let release: () => void = () => {};

  afterEach(async () => {
    release();
    await work.stop();
  });

  it.each([1, 4])("a worker whose %i slots are busy leaves every ring to an idle worker", async (slots) => {
    const backend = withQueue(createMemoryBackend(), client().createQueue({ name: newQueueName() }));
    const { submit } = createSubmitter(backend);
    work = createWork();
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await work.start("busy", backend, held, { concurrency: slots });
    for (let index = 0; index < slots; index += 1) await submit();
    await expect.poll(() => work.ran.get("busy")?.length).toBe(slots);

    await work.start("idle", backend, undefined, { concurrency: 2 });
    const ids: string[] = [];
    for (let index = 0; index < COUNT; index += 1) ids.push(await submit(index % 2 === 0 ? orders : reports));
    await expect.poll(() => work.ran.get("idle")?.length, IN_TIME).toBe(COUNT);
    expect([...(work.ran.get("idle") ?? [])].sort()).toEqual([...ids].sort());
    expect(work.ran.get("busy")).toHaveLength(slots);
    await backend.close();
  });

  it("a worker that is full in one definition leaves its rings to an idle worker", async () => {
    const backend = withQueue(createMemoryBackend(), client().createQueue({ name: newQueueName() }));
    const { submit } = createSubmitter(backend);
    work = createWork();
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // One slot for both definitions stays free until the report comes.
    await work.start("busy", backend, held, { concurrency: 2 });
    await submit(orders);
    await expect.poll(() => work.ran.get("busy")?.length).toBe(1);
    await submit(reports);
    await expect.poll(() => work.ran.get("busy")?.length).toBe(2);

    await work.start("idle", backend, undefined, { concurrency: 1 });
    for (const definition of [orders, reports, orders, reports]) await submit(definition);
    await expect.poll(() => work.ran.get("idle")?.length, IN_TIME).toBe(4);
    await backend.close();
  });
});
