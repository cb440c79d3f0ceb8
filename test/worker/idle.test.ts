import { createMemoryBackend, createWorker, defineOperation } from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished } from "vitest";
import { anything } from "../support/careless-schema.js";
import { interceptBackend } from "../support/intercept-backend.js";

const WORKERS = 100;
const TENANT = "a";

/** Idle workers on one store, as in many processes, and the calls that they make. */
async function stage(workers: number, options: { readonly startWithinMs?: number } = {}) {
  const clock = createManualClock();
  const memory = createMemoryBackend({ clock });
  const calls: { method: string; begun: number }[] = [];
  const backend = interceptBackend(memory, async ({ method }, proceed) => {
    const answer = await proceed();
    const { begun = [] } = (method === "claim" ? answer : {}) as { readonly begun?: readonly unknown[] };
    calls.push({ method, begun: begun.length });
    return answer;
  });
  const definition = defineOperation({ name: "works", path: "/works", input: anything, ...options });
  const startedAt: number[] = [];
  const source = { definitions: [definition], backend, runtime: { clock }, observe: false } as const;
  const processors = { works: () => void startedAt.push(clock.now()) };
  const running = Array.from({ length: workers }, () => createWorker(source, processors));
  onTestFinished(async () => void (await Promise.all(running.map((worker) => worker.stop()))));
  await Promise.all(running.map((worker) => worker.start()));
  await clock.advance(1);
  let count = 0;
  /** Lets this time pass in steps, each of which lets the workers come to rest. */
  async function pass(ms: number, step: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      await clock.advance(step);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }
  return {
    clock,
    pass,
    startedAt,
    forget: () => void calls.splice(0),
    countOf: (name: string) => calls.filter(({ method }) => method === name).length,
    emptyClaims: () => calls.filter(({ method, begun }) => method === "claim" && begun === 0).length,
    /** Creates work that is due later. No ring says so. */
    create: (delayMs: number) => {
      count += 1;
      const id = `01980000-0000-7000-8000-${count.toString().padStart(12, "0")}`;
      const operation = { id, tenant: TENANT, definition: "works", input: "1", retentionMs: 1_000, delayMs };
      return memory.operations.create(operation);
    },
  };
}

it("an idle worker claims every 10 s", async () => {
  const { pass, countOf, forget } = await stage(1);
  forget();
  await pass(100_000, 1_000);
  expect(countOf("claim")).toBe(10);
});

it("many idle workers that wait for the same moments learn not to claim at once, and are in time", async () => {
  const { clock, pass, startedAt, create, emptyClaims } = await stage(WORKERS);
  const dueAt: number[] = [];
  /** Most claims in vain within 10 ms around each moment. */
  const peaks: number[] = [];
  for (let round = 0; round < 12; round += 1) {
    await create(15_000);
    dueAt.push(clock.now() + 15_000);
    // All workers learn of it by their own interval.
    await pass(14_900, 100);
    let peak = 0;
    for (let step = 0; step < 100; step += 1) {
      const before = emptyClaims();
      await pass(10, 10);
      peak = Math.max(peak, emptyClaims() - before);
    }
    peaks.push(peak);
    await pass(100, 100);
  }
  expect(startedAt).toHaveLength(dueAt.length);
  const late = startedAt.map((at, index) => at - (dueAt[index] ?? 0));
  expect(Math.max(...late)).toBeLessThanOrEqual(500);
  expect(peaks[0]).toBeGreaterThan(WORKERS / 2);
  expect(Math.max(...peaks.slice(-5))).toBeLessThan(WORKERS / 5);
});

it.each([
  [{}, { endOverdue: 4, purge: 1 }],
  [{ startWithinMs: 5_000 }, { endOverdue: 120, purge: 1 }],
])("a worker sweeps more often only if a definition has a deadline: %o", async (options, expected) => {
  const { pass, countOf, forget } = await stage(1, options);
  forget();
  await pass(120_000, 1_000);
  expect({ endOverdue: countOf("endOverdue"), purge: countOf("purge") }).toEqual(expected);
});
