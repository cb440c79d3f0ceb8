import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type ServiceEvent,
  type Worker,
} from "async-request-reply";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { withOperations } from "./stage.js";

const input = z.object({});
const definitions = ["orders", "reports"].map((name) => defineOperation({ name, path: `/${name}`, input }));

function createStage(change: (backend: Backend) => Backend = (backend) => backend) {
  const clock = createManualClock();
  const events: ServiceEvent[] = [];
  const observe = (event: ServiceEvent): void => void events.push(event);
  const backend = change(createMemoryBackend({ clock }));
  const runtime = { clock };
  const service = createService({ definitions, authorize: () => ({ id: "a" }), backend, runtime, observe });
  const headers = { "content-type": "application/json" };
  const submit = (name: string): Promise<unknown> =>
    service.handle({ method: "POST", path: `/${name}`, headers, body: "{}" });
  const workerOf = (...names: readonly string[]) =>
    createWorker(service, Object.fromEntries(names.map((name) => [name, (): string => "done"])));
  /** Lets time pass, and then a worker run what is due. By default it is a new one for orders. */
  const workAfter = async (ms: number, worker = workerOf("orders")): Promise<void> => {
    await clock.advance(ms);
    await worker.runUntilIdle();
  };
  const reports = (): readonly ServiceEvent[] =>
    events.filter(({ event }) => event === "definition.unattended" || event === "background.failed");
  const close = () => service.close();
  return { backend, clock, submit, workerOf, workAfter, reports, close };
}

const REPORT = { event: "definition.unattended", definition: "reports", due: 1, oldestDueMs: 60_000 };

describe("a worker", () => {
  it("reports a definition once if no worker has taken its operations for a minute", async () => {
    const { submit, workerOf, workAfter, reports } = createStage();
    const worker = workerOf("orders");
    await submit("reports");
    await workAfter(0, worker);
    await workAfter(59_999, worker);
    expect(reports()).toEqual([]);
    await workAfter(1, worker);
    await workAfter(60_000, worker);
    expect(reports()).toEqual([REPORT]);
  });

  it("reports it again if it happens again after the operations were taken", async () => {
    const { submit, workerOf, workAfter, reports } = createStage();
    const worker = workerOf("orders");
    for (let round = 0; round < 2; round += 1) {
      await submit("reports");
      await workAfter(60_000, worker);
      await workerOf("reports").runUntilIdle();
      await workAfter(60_000, worker);
    }
    expect(reports()).toEqual([REPORT, REPORT]);
  });

  it("reports nothing while the definition is paused", async () => {
    const { backend, submit, workAfter, reports } = createStage();
    await submit("reports");
    await backend.operations.pause("reports");
    await workAfter(60_000);
    expect(reports()).toEqual([]);
    await backend.operations.resume("reports");
    await workAfter(0);
    expect(reports()).toEqual([REPORT]);
  });

  it("reports nothing if another worker is running the operations", async () => {
    const running = { count: 1, more: false };
    const change = withOperations((operations) => ({
      stats: async (request) => (await operations.stats(request)).map((each) => ({ ...each, running })),
    }));
    const { submit, workAfter, reports } = createStage(change);
    await submit("reports");
    await workAfter(60_000);
    expect(reports()).toEqual([]);
  });

  it("changes nothing for a worker that starts later", async () => {
    const { submit, workerOf, workAfter, reports } = createStage();
    await submit("reports");
    await workAfter(60_000);
    await workerOf("orders", "reports").runUntilIdle();
    await workAfter(60_000);
    expect(reports()).toEqual([REPORT]);
  });

  it("reports that counting failed, and continues", async () => {
    const error = new Error("no answer");
    const change = withOperations(() => ({ stats: () => Promise.reject(error) }));
    const { submit, workAfter, reports } = createStage(change);
    await submit("reports");
    await workAfter(0);
    expect(reports()).toEqual([{ event: "background.failed", step: "count-due", error }]);
  });
});

describe("a worker that was created and never started", () => {
  it("is reported once if its operations have waited for a minute, with the next request", async () => {
    const { clock, submit, workerOf, reports } = createStage();
    workerOf("orders", "reports");
    await submit("reports");
    await clock.advance(59_999);
    await submit("orders");
    expect(reports()).toEqual([]);
    await clock.advance(1);
    await submit("orders");
    await expect.poll(reports).toEqual([REPORT]);
    await clock.advance(59_999);
    await submit("orders");
    expect(reports()).toEqual([REPORT]);
  });

  it.each<readonly [string, (worker: Worker) => Promise<unknown>]>([
    ["start", (worker) => worker.start()],
    ["runUntilIdle", (worker) => worker.runUntilIdle()],
    ["runFor", (worker) => worker.runFor({ maxMs: 10_000 })],
    ["stop", (worker) => worker.stop()],
  ])("is not reported after %s", async (_, use) => {
    let counts = 0;
    const stats = async () => {
      counts += 1;
      return [];
    };
    const { clock, submit, workerOf, close } = createStage(withOperations(() => ({ stats })));
    await use(workerOf("orders", "reports"));
    await clock.advance(120_000);
    await submit("reports");
    expect(counts).toBe(0);
    await close();
  });

  it("is not reported if a worker of another process takes its operations", async () => {
    const { backend, clock, submit, workerOf, reports } = createStage();
    workerOf("orders", "reports");
    const processors = { orders: () => "done", reports: () => "done" };
    const other = createWorker({ definitions, backend, observe: false }, processors);
    await submit("reports");
    await other.runUntilIdle();
    await clock.advance(60_000);
    await submit("reports");
    await clock.advance(1);
    expect(reports()).toEqual([]);
  });
});
