import { type Backend, type Clock, createService, createWorker, defineOperation } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import type { OperationLimits } from "async-request-reply/ports";
import { createManualClock } from "async-request-reply/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { claimOne } from "../support/claims.js";

const input = z.object({ name: z.string() });

/**
 * Declares that waiting work begins without a poll. `open` returns a new back end that polls rarely. Pass `anyClock` if
 * it can follow a clock, so that no test has to wait.
 */
export function declarePlaces(
  open: (clock?: Clock) => Backend | Promise<Backend>,
  { anyClock = false }: { readonly anyClock?: boolean } = {},
): void {
  /** Runs two workers whose operations run until the test ends them. */
  async function stage(options: { readonly limits?: OperationLimits; readonly serialBy?: () => string }) {
    const reports = defineOperation({ name: "reports", path: "/reports", input, ...options });
    const backend = await open();
    const service = createService({ definitions: [reports], backend, observe: () => {} });
    const running = new Map<string, () => void>();
    const began: string[] = [];
    const run = ({ name }: z.infer<typeof input>) =>
      new Promise<null>((resolve) => {
        began.push(name);
        running.set(name, () => {
          running.delete(name);
          resolve(null);
        });
      });
    const workers = [1, 2].map(() => createWorker(service, { reports: run }));
    for (const worker of workers) await worker.start();
    onTestFinished(async () => {
      for (const worker of workers) {
        const stopped = worker.stop();
        void worker.stop();
        await stopped;
      }
      await service.close();
      await backend.close();
    });
    return {
      began,
      running,
      submit: (name: string) => service.submit(reports, { name }),
      begins: (count: number) => vi.waitUntil(() => began.length === count, { interval: 2 }),
    };
  }

  it("begins as soon as an operation of this process has ended, and not before", async () => {
    const { began, running, submit, begins } = await stage({ limits: { running: 2 } });
    for (const name of ["a", "b", "c", "d"]) await submit(name);
    await begins(2);
    expect(running.size).toBe(2);
    for (let count = 3; count <= 4; count += 1) {
      running.get(began[count - 3] ?? "")?.();
      await begins(count);
      expect(running.size).toBe(2);
    }
  });

  it("begins in its lane one after the other, in the order of acceptance", async () => {
    const { began, running, submit, begins } = await stage({ serialBy: () => "one lane" });
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await submit(name);
    for (const [index, name] of names.entries()) {
      await begins(index + 1);
      expect([...running.keys()]).toEqual([name]);
      running.get(name)?.();
    }
    expect(began).toEqual(names);
  });

  it.each([
    ["no place is free", { limits: { running: 1 } }],
    ["the definition is paused", {}],
  ] as const)("ends after its cancellation if its worker is gone, although %s", async (_, options) => {
    const reports = defineOperation({ name: "reports", path: "/reports", input, ...options });
    const definitions = [reports] as const;
    const clock = anyClock ? createManualClock() : undefined;
    const backend = await open(clock);
    const runtime = clock === undefined ? {} : { clock };
    const service = createService({ definitions, backend, runtime, observe: () => {} });
    const worker = createWorker(service, { reports: () => undefined }, { sweepIntervalMs: 20 });
    onTestFinished(async () => {
      await worker.stop();
      await service.close();
    });
    const { operationId } = await service.submit(reports, { name: "lost" });
    // Long enough for the cancellation on a busy machine.
    const lease = { token: "gone", leaseMs: 2_000, ...options };
    expect(await claimOne(backend.operations, operationId, lease)).toBeDefined();
    expect(await backend.operations.requestCancel(operationId, "default")).toBe("requested");
    const next = await service.submit(reports, { name: "next" });
    const isPaused = !("limits" in options);
    if (isPaused) await createOperator({ definitions, backend }).pause("reports");
    await worker.start();
    const read = (id: string) => service.get(reports, id, { tenant: "default" });
    const becomes = (id: string, status: string) =>
      vi.waitUntil(
        async () => {
          await clock?.advance(100);
          return (await read(id))?.status === status;
        },
        { interval: 2 },
      );
    const began = clock?.elapsed() ?? 0;
    await becomes(operationId, "failed");
    // A worker claims every 10 s.
    expect((clock?.elapsed() ?? 0) - began).toBeLessThan(12_000);
    expect(await read(operationId)).toMatchObject({ error: { name: "cancelled" } });
    if (isPaused) expect(await read(next.operationId)).toMatchObject({ status: "pending", attempt: 0 });
    else await becomes(next.operationId, "completed");
  });
}
