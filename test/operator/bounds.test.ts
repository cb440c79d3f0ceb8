import { getEventListeners } from "node:events";
import { createMemoryBackend, type ServiceEvent } from "async-request-reply";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { createOperatorStage, type OperatorStage } from "../support/operator/stage.js";

interface PacedStage extends OperatorStage {
  readonly clock: ManualClock;
  /** Returns the number of redriven operations so far. */
  redriven(): number;
}

/** Creates a stage with this many failed operations, whose operator uses a manual clock. */
async function createPacedStage(failed: number): Promise<PacedStage> {
  const clock = createManualClock();
  const stage = createOperatorStage(createMemoryBackend({ clock }));
  for (let count = 0; count < failed; count += 1) await stage.end("throw");
  let redriven = 0;
  const observe = ({ event }: ServiceEvent): void => {
    if (event === "operation.redriven") redriven += 1;
  };
  const operator = stage.other({ runtime: { clock }, observe });
  return { ...stage, operator, clock, redriven: () => redriven };
}

describe("a bulk redrive", () => {
  it("runs 10 operations per second, the first one immediately", async () => {
    const { operator, clock, redriven } = await createPacedStage(15);
    const run = operator.redrive({ tenant: "a" });
    const seen: number[] = [];
    for (const ms of [0, 99, 1, 900, 400]) {
      await clock.advance(ms);
      seen.push(redriven());
    }
    expect(seen).toEqual([1, 1, 2, 11, 15]);
    expect(await run).toEqual({ redriven: 15, skipped: 0 });
  });

  it("runs as many operations per second as requested", async () => {
    const { operator, clock, redriven } = await createPacedStage(3);
    const run = operator.redrive({ tenant: "a" }, { perSecond: 0.5 });
    await clock.advance(1_999);
    expect(redriven()).toBe(1);
    await clock.advance(1);
    expect(redriven()).toBe(2);
    await clock.advance(2_000);
    expect(await run).toMatchObject({ redriven: 3 });
  });

  it("does not wait for skipped operations", async () => {
    const { operator, clock } = await createPacedStage(5);
    const first = operator.redrive({ tenant: "a" });
    await clock.advance(1_000);
    await first;
    expect(await operator.redrive({ tenant: "a" })).toEqual({ redriven: 0, skipped: 5 });
  });

  it("does not wait longer if the clock is set back", async () => {
    const { other, clock } = await createPacedStage(2);
    let redriven = 0;
    const observe = ({ event }: ServiceEvent): void => {
      if (event === "operation.redriven") redriven += 1;
    };
    const now = (): number => clock.now() - redriven * 3_600_000;
    const run = other({ runtime: { clock: { ...clock, now } }, observe }).redrive({ tenant: "a" });
    await clock.advance(100);
    expect(redriven).toBe(2);
    await run;
  });

  it("reads past its limit as long as it has nothing to run", async () => {
    const { operator, clock } = await createPacedStage(3);
    const { operations } = await operator.list();
    await operator.redrive(operations[2]?.operationId ?? "");
    const rest = operator.redrive({ tenant: "a" }, { limit: 2 });
    await clock.advance(100);
    expect(await rest).toEqual({ redriven: 2, skipped: 1 });
  });

  it("leaves no timer and no listener", async () => {
    const { other, clock } = await createPacedStage(3);
    let timers = 0;
    const schedule: ManualClock["schedule"] = (delayMs, task) => {
      timers += 1;
      let open = true;
      const end = (): void => {
        if (open) timers -= 1;
        open = false;
      };
      const cancel = clock.schedule(delayMs, () => {
        end();
        task();
      });
      return () => {
        end();
        cancel();
      };
    };
    const stop = new AbortController();
    const operator = other({ runtime: { clock: { ...clock, schedule } } });
    const run = operator.redrive({ tenant: "a" }, { signal: stop.signal, perSecond: 1 });
    await clock.advance(1_500);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort();
    expect(await run).toMatchObject({ redriven: 2 });
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    expect(timers).toBe(0);
  });

  it("stops when its signal is aborted, and returns a cursor", async () => {
    const { operator, clock, redriven } = await createPacedStage(5);
    const stop = new AbortController();
    const run = operator.redrive({ tenant: "a" }, { signal: stop.signal });
    await clock.advance(150);
    stop.abort();
    const { cursor, ...done } = await run;
    expect(done).toEqual({ redriven: 2, skipped: 0 });
    const rest = operator.redrive({ tenant: "a" }, { cursor });
    await clock.advance(1_000);
    expect(await rest).toEqual({ redriven: 3, skipped: 0 });
    expect(redriven()).toBe(5);
  });

  it("looks at one operation at least, so that it can always be stopped and resumed", async () => {
    const { operator } = await createPacedStage(2);
    const stop = new AbortController();
    const run = operator.redrive({ tenant: "a" }, { signal: stop.signal });
    stop.abort();
    expect(await run).toEqual({ redriven: 1, skipped: 0, cursor: expect.any(String) });
  });

  it("does nothing if it was stopped before", async () => {
    const { operator, redriven } = await createPacedStage(1);
    const reason = new Error("no more");
    const run = operator.redrive({ tenant: "a" }, { signal: AbortSignal.abort(reason) });
    await expect(run).rejects.toBe(reason);
    expect(redriven()).toBe(0);
  });
});

/** Creates a stage with this many failed operations that never ran. */
async function createFullStage(failed: number): Promise<OperatorStage> {
  const stage = createOperatorStage(createMemoryBackend());
  for (let count = 0; count < failed; count += 1) {
    const id = `01900000-0000-7000-8000-${String(count).padStart(12, "0")}`;
    const operation = { id, tenant: "a", definition: "exports", input: "1", retentionMs: 60_000 };
    await stage.backend.operations.create(operation, { state: "failed", error: "{}" });
  }
  return stage;
}

describe("the reads of one call", () => {
  it("are limited to 10,000 operations, in a dry run, a real run and groups", async () => {
    const { operator } = await createFullStage(10_001);
    const preview = await operator.redrive({ tenant: "a" }, { dryRun: true });
    expect(preview).toMatchObject({ count: 10_000, more: true });
    const { cursor, ...run } = await operator.redrive({ tenant: "a", errorType: "cancelled" });
    expect(run).toEqual({ redriven: 0, skipped: 0 });
    const rest = await operator.redrive({ tenant: "a", errorType: "cancelled" }, { cursor });
    expect(rest).toEqual({ redriven: 0, skipped: 0 });
    const { groups, complete } = await operator.failures();
    expect(groups).toMatchObject([{ definition: "exports", message: "", count: 10_000 }]);
    expect(groups[0]).not.toHaveProperty("errorType");
    expect(complete).toBe(false);
    expect((await operator.failures({ createdBefore: new Date(0) })).complete).toBe(true);
  });

  it("are limited to 1,000 operations in a list that searches for a type of error", async () => {
    const { operator } = await createFullStage(1_001);
    const filter = { errorType: "work-failed" } as const;
    const { cursor, operations } = await operator.list(filter);
    expect(operations).toEqual([]);
    expect(cursor).toEqual(expect.any(String));
    expect(await operator.list({ ...filter, cursor })).toEqual({ operations: [] });
  });

  it("are not limited by operations that have not failed", async () => {
    const { operator, end, submit } = createOperatorStage(createMemoryBackend());
    const failed = await end("refuse");
    for (let count = 0; count < 1_001; count += 1) await submit("complete");
    const { operations } = await operator.list({ errorType: "work-failed" });
    expect(operations).toMatchObject([{ operationId: failed }]);
  });

  it("are limited to 100 operations in any other list by default", async () => {
    const { operator } = await createFullStage(101);
    const { operations, cursor } = await operator.list();
    expect(operations).toHaveLength(100);
    expect((await operator.list({ cursor })).operations).toHaveLength(1);
    expect(await operator.list({ limit: 1_000 })).toMatchObject({ operations: { length: 101 } });
  });
});
