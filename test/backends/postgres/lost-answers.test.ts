import { createOrderService, createWorker, type ServiceEvent } from "async-request-reply";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/platform/system-runtime.js";
import { describePostgres } from "../../support/postgres/server.js";
import { CLAIM, interceptStatements } from "./intercepted-statements.js";

const ORDER = {
  method: "POST",
  path: "/orders",
  headers: { "content-type": "application/json" },
  body: '{"itemId":"book","quantity":1}',
};

await describePostgres("a worker that loses the answers to its claims", (server) => {
  /** Runs a worker that loses the given number of answers with work. Returns the operations that it has ended. */
  async function losing(losses: number, submissions: number, maxAttempts: number) {
    let left = losses;
    const pool = interceptStatements(server.pool, async ({ text }, run) => {
      const result = await run();
      const hasWork = CLAIM.test(text) && result.rows.some(({ outcome }) => outcome === "begun");
      if (!hasWork || left === 0) return result;
      left -= 1;
      throw new Error("the connection was lost");
    });
    const events: ServiceEvent[] = [];
    const backend = server.open({ pool, listen: false, pollIntervalMs: 10 });
    // Pauses are real and short. This test waits for no lease.
    const clock = {
      ...systemClock,
      schedule: (ms: number, task: () => void) => systemClock.schedule(Math.min(ms, 100), task),
    };
    const service = createOrderService({
      backend,
      authorize: () => ({ id: "a" }),
      observe: (event) => events.push(event),
    });
    for (let count = 0; count < submissions; count += 1)
      expect((await service.handle(ORDER)).status).toBe(202);
    const attempts: number[] = [];
    const source = { ...service, runtime: { clock } };
    const worker = createWorker(
      source,
      { orders: (_, job) => void attempts.push(job.attempt) },
      { maxAttempts },
    );
    await worker.start();
    onTestFinished(async () => {
      await worker.stop();
      await backend.close();
    });
    const ended = () =>
      events
        .filter((event) => event.event !== "background.failed" || event.step === "claim")
        .map(({ event }) => event)
        .filter((event) => /completed|failed|lost/.test(event));
    await vi.waitUntil(() => ended().filter((event) => event.startsWith("operation")).length >= submissions);
    return { attempts, ended: ended(), left };
  }

  it("does the work in the first attempt after as many losses as there are attempts", async () => {
    const { attempts, ended, left } = await losing(5, 1, 5);
    expect(left).toBe(0);
    expect(attempts).toEqual([1]);
    expect(ended).toEqual([...Array<string>(5).fill("background.failed"), "operation.completed"]);
  });

  it("does not hold back the operations of a lost answer as suspects", async () => {
    const { attempts, ended } = await losing(1, 8, 1);
    expect(attempts).toEqual(Array<number>(8).fill(1));
    expect(ended).toEqual(["background.failed", ...Array<string>(8).fill("operation.completed")]);
  });
});
