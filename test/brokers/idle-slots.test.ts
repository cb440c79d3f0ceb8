import { setTimeout as sleep } from "node:timers/promises";
import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  withQueue,
} from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { brokers } from "./brokers.js";
import { newQueueName, useBroker } from "./harnesses.js";

/** Longest time for which a slot may be idle beside due work. Milliseconds. */
const IDLE_MS = 2_000;
const COUNT = 40;
const WORK_MS = 20;

const free = defineOperation({ name: "orders", path: "/orders", input: z.number() });
const limited = defineOperation({ ...free, limits: { running: 2 } });

/** When an operation ran, and by which worker. */
interface Run {
  readonly worker: number;
  readonly from: number;
  readonly to: number;
}

describe.each(brokers)("workers with one slot each in processes with $name", (broker) => {
  const { client } = useBroker(broker);

  /** Starts workers and a service. Each has its own connection of the queue, like a process. */
  async function startProcesses(definition: typeof free, workers: number) {
    const store = createMemoryBackend();
    const name = newQueueName();
    const open = (): Backend => withQueue(store, client().createQueue({ name }));
    const service = createService({ backend: open(), definitions: [definition], observe: false });
    onTestFinished(() => service.close());
    const runs: Run[] = [];
    for (let number = 0; number < workers; number += 1) {
      const worker = createWorker(
        { backend: open(), definitions: [definition], observe: false },
        {
          orders: async () => {
            const from = performance.now();
            await sleep(WORK_MS);
            runs.push({ worker: number, from, to: performance.now() });
          },
        },
        { concurrency: 1 },
      );
      await worker.start();
      onTestFinished(() => worker.stop());
    }
    return { submit: (count: number) => service.submit(definition, count), runs };
  }

  it.each([
    ["without a limit", free, 2],
    ["under a limit of as many", limited, 2],
    ["under a limit of fewer", limited, 4],
  ] as const)(`have no idle slot beside ${COUNT} due operations %s`, async (_, definition, workers) => {
    const { submit, runs } = await startProcesses(definition, workers);
    const start = performance.now();
    await Promise.all(Array.from({ length: COUNT }, (_, count) => submit(count)));
    await expect.poll(() => runs.length, { interval: 10 }).toBe(COUNT);
    expect(performance.now() - start).toBeLessThan(COUNT * WORK_MS + IDLE_MS);
    if (definition === limited) return;
    for (let worker = 0; worker < workers; worker += 1)
      expect(
        longestBreak(
          runs.filter((run) => run.worker === worker),
          start,
        ),
      ).toBeLessThan(IDLE_MS);
  });

  it("begin at once with operations that come one by one", async () => {
    const { submit, runs } = await startProcesses(limited, 2);
    for (let count = 1; count <= COUNT / 2; count += 1) {
      const submitted = performance.now();
      await submit(count);
      await expect.poll(() => runs.length, { interval: 5 }).toBe(count);
      expect(runs.at(-1)?.from).toBeLessThan(submitted + IDLE_MS);
    }
  });

  it("share operations that come in pairs", async () => {
    const { submit, runs } = await startProcesses(free, 2);
    for (let count = 2; count <= COUNT / 2; count += 2) {
      const submitted = performance.now();
      await Promise.all([submit(count), submit(count)]);
      await expect.poll(() => runs.length, { interval: 5 }).toBe(count);
      for (const { from } of runs.slice(-2)) expect(from).toBeLessThan(submitted + IDLE_MS);
    }
    expect(new Set(runs.map(({ worker }) => worker)).size).toBe(2);
  });
});

/** Returns the longest time between two runs of a worker, and before its first one. */
function longestBreak(runs: readonly Run[], start: number): number {
  const ends = [start, ...runs.map(({ to }) => to)];
  const breaks = runs.map(({ from }, index) => from - (ends[index] ?? start));
  return runs.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...breaks);
}
