import {
  type Backend,
  createService,
  createWorker,
  defineOperation,
  type Job,
  type ServiceEvent,
  type Worker,
} from "async-request-reply";
import type { Claimed, Operation } from "async-request-reply/ports";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { expect, it } from "vitest";
import { interceptBackend } from "./intercept-backend.js";

const input = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;
const locked = defineOperation({ name: "locked", path: "/locked", input, cancellable: true });
const serial = defineOperation({
  name: "serial",
  path: "/serial",
  input,
  serialBy: () => "one",
  limits: { running: 1 },
});

/** A back end whose time a test moves. */
export interface Timed {
  readonly backend: Backend;
  /** Moves the clock of the store. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Declares what `job.release` does on a store whose time a test moves together with the clock of the worker. */
export function declareJobRelease(open: (clock: ManualClock) => Promise<Timed> | Timed): void {
  async function createScene() {
    const clock = createManualClock();
    const { backend, pass } = await open(clock);
    const calls: string[] = [];
    const events: ServiceEvent[] = [];
    const counted = interceptBackend(backend, async ({ method }, proceed) => {
      const answer = await proceed();
      calls.push(...writesOf(method, answer));
      return answer;
    });
    const service = createService({
      definitions: [locked, serial],
      backend: counted,
      runtime: { clock },
      observe: (event) => events.push(event),
    });
    return {
      backend,
      calls,
      events,
      submit: async (definition: "locked" | "serial" = "locked"): Promise<string> =>
        (await service.submit(definition === "locked" ? locked : serial, 1)).operationId,
      cancel: (id: string) => backend.operations.requestCancel(id, "default"),
      read: async (id: string) => (await backend.operations.get(id, "default")) as Operation,
      worker: (run: (job: Job) => unknown): Worker => {
        const processor = (_: unknown, job: unknown): unknown => run(job as Job);
        return createWorker(service, { locked: processor, serial: processor }, { maxAttempts: 2 });
      },
      advance: async (ms: number) => {
        await pass(ms);
        await clock.advance(ms);
      },
    };
  }

  it("writes at most once per second and operation, and never uses up attempts", async () => {
    const { submit, worker, advance, read, calls, events } = await createScene();
    const ids = [await submit(), await submit()];
    calls.length = 0;
    let attempts = 0;
    const releasing = worker((job) => {
      attempts += 1;
      return job.release();
    });
    for (let second = 0; second < 60; second += 1) {
      await releasing.runUntilIdle();
      await advance(1_000);
    }
    expect(attempts).toBe(2 * 30);
    expect(calls.length).toBeLessThanOrEqual(2 * 60);
    for (const id of ids) expect(await read(id)).toMatchObject({ state: "pending", attempt: 0 });
    const released = events.filter(({ event }) => event === "operation.released");
    expect(released).toHaveLength(2 * 30);
    expect((await worker(() => "done").runUntilIdle()).completed).toBe(2);
    expect(await read(ids[0] as string)).toMatchObject({ state: "completed", attempt: 1 });
  });

  it("makes the operation due again after `afterMs`", async () => {
    const { submit, worker, advance, read } = await createScene();
    const id = await submit();
    const run = worker((job) => (job.attempt === 1 && !isOpen ? job.release({ afterMs: 10_000 }) : "done"));
    let isOpen = false;
    expect((await run.runUntilIdle()).released).toBe(1);
    isOpen = true;
    await advance(9_999);
    expect((await run.runUntilIdle()).completed).toBe(0);
    await advance(1);
    expect((await run.runUntilIdle()).completed).toBe(1);
    expect(await read(id)).toMatchObject({ state: "completed", attempt: 1 });
  });

  it("fails an operation as cancelled that is being cancelled", async () => {
    const { submit, worker, cancel, read } = await createScene();
    const id = await submit();
    const run = worker(async (job) => {
      await cancel(job.operationId);
      return job.release();
    });
    expect((await run.runUntilIdle()).failed).toBe(1);
    expect(await read(id)).toMatchObject({ state: "failed", attempt: 1 });
    expect((await read(id)).error).toContain("cancelled");
  });

  it("keeps the lane of the operation, and leaves its place to others, like a retry", async () => {
    const { submit, worker, advance } = await createScene();
    const first = await submit("serial");
    const second = await submit("serial");
    const ran: string[] = [];
    const run = worker((job) => {
      ran.push(job.operationId);
      return ran.length === 1 ? job.release() : "done";
    });
    await run.runUntilIdle();
    expect(ran).toEqual([first]);
    await advance(2_000);
    await run.runUntilIdle();
    await advance(2_000);
    await run.runUntilIdle();
    expect(ran).toEqual([first, first, second]);
  });
}

/** Returns an entry for each operation that a call wrote. */
function writesOf(method: string, answer: unknown): readonly string[] {
  if (method === "settle") return [method];
  if (method !== "claim") return [];
  return (answer as Claimed).begun.map(() => method);
}
