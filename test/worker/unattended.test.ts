import {
  type Backend,
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  type ServiceEvent,
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
  return { backend, clock, submit, workerOf, reports };
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
    await backend.operations.pause?.("reports");
    await clock.advance(60_000);
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([]);
    await backend.operations.resume?.("reports");
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([REPORT]);
  });

  it("reports nothing if another worker is running the operations", async () => {
    const { clock, submit, workerOf, reports } = createStage((backend) => {
      const { operations } = backend;
      const count = operations.stats?.bind(operations);
      const running = { count: 1, more: false };
      operations.stats = async (request) =>
        ((await count?.(request)) ?? []).map((each) => ({ ...each, running }));
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

  it("works with a store that cannot count", async () => {
    const { clock, submit, workerOf, reports } = createStage((backend) => {
      Object.assign(backend.operations, { stats: undefined });
      return backend;
    });
    await submit("reports");
    await clock.advance(60_000);
    await workerOf("orders").runUntilIdle();
    expect(reports()).toEqual([]);
  });
});
