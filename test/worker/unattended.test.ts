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

const input = z.object({});
const definitions = ["orders", "reports"].map((name) => defineOperation({ name, path: `/${name}`, input }));

function createStage(change: (backend: Backend<never>) => Backend<never> = (backend) => backend) {
  const clock = createManualClock();
  const events: ServiceEvent[] = [];
  const observe = (event: ServiceEvent): void => void events.push(event);
  const backend = change(createMemoryBackend({ clock }));
  const runtime = { clock };
  const service = createService({ definitions, authorize: () => ({ id: "a" }), backend, runtime, observe });
  const submit = (name: string): Promise<unknown> =>
    service.handle({
      method: "POST",
      path: `/${name}`,
      headers: { "content-type": "application/json" },
      body: "{}",
    });
  const workerOf = (...names: readonly string[]) =>
    createWorker(service, Object.fromEntries(names.map((name) => [name, (): string => "done"])));
  const reports = (): readonly ServiceEvent[] =>
    events.filter(({ event }) => event === "definition.unattended" || event === "background.failed");
  const close = () => service.close();
  return { backend, clock, submit, workerOf, reports, close };
}

const REPORT = { event: "definition.unattended", definition: "reports", due: 1, oldestDueMs: 60_000 };

describe("a worker", () => {
  it("reports a definition once if no worker has taken its operations for a minute", async () => {
    const { clock, submit, workerOf, reports } = createStage();
    const worker = workerOf("orders");
    await submit("reports");
    await worker.runUntilIdle();
    await clock.advance(59_999);
    await worker.runUntilIdle();
    expect(reports()).toEqual([]);
    await clock.advance(1);
    await worker.runUntilIdle();
    await clock.advance(60_000);
    await worker.runUntilIdle();
    expect(reports()).toEqual([REPORT]);
  });

  it("reports it again if it happens again after the operations were taken", async () => {
    const { clock, submit, workerOf, reports } = createStage();
    const worker = workerOf("orders");
    for (let round = 0; round < 2; round += 1) {
      await submit("reports");
      await clock.advance(60_000);
      await worker.runUntilIdle();
      await workerOf("reports").runUntilIdle();
      await clock.advance(60_000);
      await worker.runUntilIdle();
    }
    expect(reports()).toEqual([REPORT, REPORT]);
  });

  it("reports nothing while the definition is paused", async () => {
    const { backend, clock, submit, workerOf, reports } = createStage();
    await submit("reports");
    await backend.operations.pause("reports");
    await clock.advance(60_000);
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([]);
    await backend.operations.resume("reports");
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([REPORT]);
  });

  it("reports nothing if another worker is running the operations", async () => {
    const { clock, submit, workerOf, reports } = createStage((backend) => {
      const { operations } = backend;
      const count = operations.stats.bind(operations);
      const running = { count: 1, more: false };
      operations.stats = async (request) => (await count(request)).map((each) => ({ ...each, running }));
      return backend;
    });
    await submit("reports");
    await clock.advance(60_000);
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([]);
  });

  it("changes nothing for a worker that starts later", async () => {
    const { clock, submit, workerOf, reports } = createStage();
    await submit("reports");
    await clock.advance(60_000);
    await workerOf("orders").runUntilIdle();
    await workerOf("orders", "reports").runUntilIdle();
    await clock.advance(60_000);
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([REPORT]);
  });

  it("reports that counting failed, and continues", async () => {
    const error = new Error("no answer");
    const { submit, workerOf, reports } = createStage((backend) => {
      backend.operations.stats = () => Promise.reject(error);
      return backend;
    });
    await submit("reports");
    await workerOf("orders").runUntilIdle();
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
    const { clock, submit, workerOf, close } = createStage((backend) => {
      backend.operations.stats = async () => {
        counts += 1;
        return [];
      };
      return backend;
    });
    await use(workerOf("orders", "reports"));
    await clock.advance(120_000);
    await submit("reports");
    expect(counts).toBe(0);
    await close();
  });

  it("is not reported if a worker of another process takes its operations", async () => {
    const { backend, clock, submit, workerOf, reports } = createStage();
    workerOf("orders", "reports");
    const other = createWorker(
      { definitions, backend, observe: false },
      { orders: () => "done", reports: () => "done" },
    );
    await submit("reports");
    await other.runUntilIdle();
    await clock.advance(60_000);
    await submit("reports");
    await clock.advance(1);
    expect(reports()).toEqual([]);
  });
});
