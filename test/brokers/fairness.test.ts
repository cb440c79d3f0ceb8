import { describe, expect, it, onTestFinished } from "vitest";
import { signalOf } from "../support/worker-stage.js";
import { brokers } from "./brokers.js";
import { useBroker } from "./harnesses.js";
import { createSubmitter, createWork, orders, reports } from "./service.js";

/** Shorter than the time after which an idle worker claims without a ring. */
const IN_TIME = { timeout: 5_000, interval: 10 };
const COUNT = 40;

describe.each(brokers)("workers with rings on $name", (broker) => {
  const { newBackend } = useBroker(broker);

  /** Starts a worker whose work lasts until the end of the test. `startIdle` starts one whose work ends at once. */
  async function startBusy(concurrency: number) {
    const backend = newBackend();
    const work = createWork();
    const { promise: held, resolve: release } = signalOf();
    // Runs before the work is stopped: Vitest calls these hooks in reverse order.
    onTestFinished(() => release());
    await work.start("busy", backend, held, { concurrency });
    return {
      submit: createSubmitter(backend).submit,
      busy: () => work.ran.get("busy") ?? [],
      idle: () => work.ran.get("idle") ?? [],
      startIdle: (slots: number) => work.start("idle", backend, undefined, { concurrency: slots }),
    };
  }

  it.each([1, 4])("a worker whose %i slots are busy leaves every ring to an idle worker", async (slots) => {
    const { submit, busy, idle, startIdle } = await startBusy(slots);
    for (let index = 0; index < slots; index += 1) await submit();
    await expect.poll(busy).toHaveLength(slots);

    await startIdle(2);
    const ids: string[] = [];
    for (let index = 0; index < COUNT; index += 1) ids.push(await submit(index % 2 === 0 ? orders : reports));
    await expect.poll(idle, IN_TIME).toHaveLength(COUNT);
    expect([...idle()].sort()).toEqual([...ids].sort());
    expect(busy()).toHaveLength(slots);
  });

  it("a worker that is full in one definition leaves its rings to an idle worker", async () => {
    // One slot for both definitions stays free until the report comes.
    const { submit, busy, idle, startIdle } = await startBusy(2);
    await submit(orders);
    await expect.poll(busy).toHaveLength(1);
    await submit(reports);
    await expect.poll(busy).toHaveLength(2);

    await startIdle(1);
    for (const definition of [orders, reports, orders, reports]) await submit(definition);
    await expect.poll(idle, IN_TIME).toHaveLength(4);
  });
});
