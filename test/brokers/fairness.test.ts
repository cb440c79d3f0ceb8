import { createMemoryBackend, withQueue } from "async-request-reply";
import { afterEach, describe, expect, it } from "vitest";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports, type Work } from "./service.js";

/** Longer than any test, so that only the broker can wake up a worker. */
const NO_SWEEP = { sweepIntervalMs: 600_000 };
/** Longer than {@link IN_TIME}, so that a message is missed if a busy worker takes it and returns it late. */
const retryDelayMs = 60_000;
const IN_TIME = { timeout: 20_000, interval: 10 };
const COUNT = 40;

describe.each(brokers)("workers with announcements on $name", (broker) => {
  const { client } = useBroker(broker);
  let work: Work;
  let release: () => void = () => {};

  afterEach(async () => {
    release();
    await work.stop();
  });

  it.each([1, 4])(
    "a worker whose %i slots are busy leaves every announcement to an idle worker",
    async (slots) => {
      const backend = withQueue(
        createMemoryBackend(),
        client().createQueue({ name: newQueueName(), retryDelayMs }),
      );
      const { submit } = createSubmitter(backend);
      work = createWork();
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await work.start("busy", backend, held, { concurrency: slots, ...NO_SWEEP });
      for (let index = 0; index < slots; index += 1) await submit();
      await expect.poll(() => work.ran.get("busy")?.length).toBe(slots);

      await work.start("idle", backend, undefined, { concurrency: 2, ...NO_SWEEP });
      const ids: string[] = [];
      for (let index = 0; index < COUNT; index += 1)
        ids.push(await submit(index % 2 === 0 ? orders : reports));
      await expect.poll(() => work.ran.get("idle")?.length, IN_TIME).toBe(COUNT);
      expect([...(work.ran.get("idle") ?? [])].sort()).toEqual([...ids].sort());
      expect(work.ran.get("busy")).toHaveLength(slots);
      await backend.close();
    },
  );

  it("a worker that is full in one definition leaves its announcements to an idle worker", async () => {
    const backend = withQueue(
      createMemoryBackend(),
      client().createQueue({ name: newQueueName(), retryDelayMs }),
    );
    const { submit } = createSubmitter(backend);
    work = createWork();
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // One slot for both definitions stays free until the report comes.
    await work.start("busy", backend, held, { concurrency: 2, ...NO_SWEEP });
    await submit(orders);
    await expect.poll(() => work.ran.get("busy")?.length).toBe(1);
    await submit(reports);
    await expect.poll(() => work.ran.get("busy")?.length).toBe(2);

    await work.start("idle", backend, undefined, { concurrency: 1, ...NO_SWEEP });
    for (const definition of [orders, reports, orders, reports]) await submit(definition);
    await expect.poll(() => work.ran.get("idle")?.length, IN_TIME).toBe(4);
    await backend.close();
  });
});
