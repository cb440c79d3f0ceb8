import { setTimeout as sleep } from "node:timers/promises";
import {
  type Backend,
  createService,
  createWorker,
  defineOperation,
  type Job,
  type Worker,
} from "async-request-reply";
import type { Operation } from "async-request-reply/ports";
import { expect, it } from "vitest";

const input = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;
const jobs = defineOperation({ name: "jobs", path: "/jobs", input });
/** A run may be late by this much, if its processors honor the signal. Milliseconds. */
const LATE_MS = 500;

interface Given {
  /** Number of runs that are cut. */
  readonly cuts?: number;
  /** Time of a run that is cut. Milliseconds. */
  readonly cutMs?: number;
}

/** Declares what `runFor` does in real time on a store, and on the queue of a broker. */
export function declareRunFor(
  open: () => Promise<Backend> | Backend,
  { cuts = 20, cutMs = 50 }: Given = {},
): void {
  async function createScene() {
    const backend = await open();
    const service = createService({ definitions: [jobs], backend, observe: false });
    const ids: string[] = [];
    return {
      submit: async (count: number) => {
        for (let number = 0; number < count; number += 1)
          ids.push((await service.submit(jobs, number)).operationId);
      },
      worker: (run: (job: Job) => unknown): Worker =>
        createWorker(service, { jobs: (_, job) => run(job as Job) }, { maxAttempts: 2 }),
      operations: async () => {
        const found = await Promise.all(ids.map((id) => backend.operations.get(id, "default")));
        return found as readonly Operation[];
      },
    };
  }

  /** Works until it is interrupted, which it honors. */
  const endless = ({ signal }: Job): Promise<void> => sleep(60_000, undefined, { signal });

  it("ends within its time, and leaves work that still runs to the next run at once", async () => {
    const { submit, worker, operations } = await createScene();
    await submit(15);
    const first = worker(endless);
    const began = performance.now();
    const { released, ...others } = await first.runFor({ maxMs: 1_000 });
    expect(performance.now() - began).toBeLessThan(1_000 + LATE_MS);
    expect(others).toEqual({ completed: 0, failed: 0, retried: 0, lost: 0, idle: false });
    // A store that is slow to answer releases the last ones after the run.
    expect(released).toBeLessThanOrEqual(10);
    await first.stop();
    expect((await operations()).map(({ attempt }) => attempt)).toEqual(Array(15).fill(0));
    const next = worker(() => "done");
    const began2 = performance.now();
    expect((await next.runFor({ maxMs: 10_000 })).completed).toBe(15);
    expect(performance.now() - began2).toBeLessThan(2_500);
    expect((await operations()).map(({ state, attempt }) => `${state} ${attempt}`)).toEqual(
      Array(15).fill("completed 1"),
    );
    await next.stop();
  });

  it(`loses nothing and counts nothing in ${cuts} runs that are cut`, async () => {
    const { submit, worker, operations } = await createScene();
    await submit(5);
    let began = 0;
    const cut = worker((job) => {
      began += 1;
      return endless(job);
    });
    for (let run = 0; run < cuts; run += 1) await cut.runFor({ maxMs: cutMs });
    expect(began).toBeGreaterThan(cuts);
    const next = worker(() => "done");
    const { completed } = await next.runFor({ maxMs: 60_000 });
    expect(completed).toBe(5);
    expect((await operations()).map(({ state, attempt }) => `${state} ${attempt}`)).toEqual(
      Array(5).fill("completed 1"),
    );
    await cut.stop();
    await next.stop();
  });

  it("shares the work with runs of other processes at the same time", async () => {
    const { submit, worker, operations } = await createScene();
    await submit(60);
    const ran: string[] = [];
    const workers = [1, 2, 3].map(() =>
      worker(async ({ operationId }) => {
        ran.push(operationId);
        await sleep(5);
      }),
    );
    const runs = await Promise.all(workers.map((each) => each.runFor({ maxMs: 20_000 })));
    expect(runs.reduce((sum, { completed }) => sum + completed, 0)).toBe(60);
    expect(new Set(ran).size).toBe(60);
    expect(ran).toHaveLength(60);
    expect((await operations()).map(({ state }) => state)).toEqual(Array(60).fill("completed"));
    for (const each of workers) await each.stop();
  });
}
