import { defineOperation, defineOrders, type Job } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createStage, LEASE_MS, signalOf, type WorkerStage } from "../support/worker-stage.js";
import { countOf } from "./stage.js";

const reports = defineOperation({ name: "reports", path: "/reports", input: z.object({}) });
const BOTH = [defineOrders(), reports] as const;

/** Accepts orders, of which each begins an attempt with a worker that dies. */
async function loseOrders(
  { submit, lose, clock }: Pick<WorkerStage<[]>, "submit" | "lose" | "clock">,
  count: number,
): Promise<void> {
  for (let each = 0; each < count; each += 1) await lose(await submit());
  await clock.advance(LEASE_MS);
}

/** Work that takes this long on the clock of the stage, and how much of it ran at the same time. */
function timedWork({ clock }: Pick<ReturnType<typeof createStage>, "clock">, ms: number) {
  const begun: { readonly id: string; readonly at: number }[] = [];
  let running = 0;
  let most = 0;
  const run = async (_: unknown, { operationId }: Job): Promise<void> => {
    begun.push({ id: operationId, at: clock.now() });
    running += 1;
    most = Math.max(most, running);
    const { promise, resolve } = signalOf();
    clock.schedule(ms, resolve);
    await promise;
    running -= 1;
  };
  return { begun, run, most: () => most };
}

describe("the recovery after a killed worker", () => {
  it("runs 100 short operations in seconds on 50 slots, and releases each at most once", async () => {
    const stage = createStage();
    const { worker, clock, events } = stage;
    await loseOrders(stage, 100);
    const work = timedWork(stage, 200);
    const working = worker({ orders: work.run }, { concurrency: 50 });
    await working.start();
    const from = clock.now();
    while (countOf(events, "operation.completed") < 100) await clock.advance(50);
    // One, two, four and so on: seven rounds.
    expect(clock.now() - from).toBeLessThanOrEqual(3_000);
    expect(work.most()).toBeLessThanOrEqual(50);
    expect(countOf(events, "operation.released")).toBeLessThanOrEqual(100);
    expect(new Set(work.begun.map(({ id }) => id)).size).toBe(100);
    await working.stop();
  });

  it("begins more long operations whenever the ones before have lived for two renewals", async () => {
    const stage = createStage();
    const { worker, clock, events } = stage;
    await loseOrders(stage, 10);
    const work = timedWork(stage, 300_000);
    const working = worker({ orders: work.run }, { concurrency: 50 });
    await working.start();
    while (work.begun.length < 10) await clock.advance(500);
    const [first = 0] = work.begun.map(({ at }) => at);
    const rounds = work.begun.map(({ at }) => Math.floor((at - first) / 20_000));
    expect(rounds).toEqual([0, 1, 1, 2, 2, 2, 2, 3, 3, 3]);
    expect(work.most()).toBe(10);
    expect(countOf(events, "operation.released")).toBeLessThanOrEqual(10);
    while (countOf(events, "operation.completed") < 10) await clock.advance(10_000);
    await working.stop();
  });

  it("begins with one again if none has ended for the time of a lease", async () => {
    const stage = createStage(BOTH);
    const { submit, worker, clock, events } = stage;
    await loseOrders(stage, 4);
    const orders = timedWork(stage, 200);
    const others = timedWork(stage, 2 * LEASE_MS);
    const working = worker({ orders: orders.run, reports: others.run }, { concurrency: 2 });
    await working.start();
    const completed = () => countOf(events, "operation.completed");
    while (completed() < 4) await clock.advance(50);
    expect(orders.most()).toBe(2);
    // These occupy both slots while further operations are lost.
    for (let each = 0; each < 2; each += 1) await submit({}, "/reports");
    while (others.begun.length < 2) await clock.advance(1);
    await loseOrders(stage, 4);
    while (completed() < 10) await clock.advance(50);
    const [first, second] = orders.begun.slice(4);
    expect(second?.at).toBeGreaterThanOrEqual((first?.at ?? 0) + 200);
    await working.stop();
  });

  it("runs an operation alone if another lost attempt would be its end", async () => {
    const stage = createStage();
    const { worker, clock, events } = stage;
    await loseOrders(stage, 5);
    const work = timedWork(stage, 200);
    const working = worker({ orders: { run: work.run, maxAttempts: 2 } }, { concurrency: 50 });
    await working.start();
    while (countOf(events, "operation.completed") < 5) await clock.advance(50);
    expect(work.most()).toBe(1);
    await working.stop();
  });

  it("leaves the slots to other work meanwhile", async () => {
    const stage = createStage();
    const { submit, worker, clock, read } = stage;
    await loseOrders(stage, 10);
    const finish = signalOf();
    const lost = new Set<string>();
    const orders = async (_: unknown, { operationId, attempt }: Job): Promise<void> => {
      if (attempt > 1) lost.add(operationId);
      if (attempt > 1) await finish.promise;
    };
    const working = worker({ orders }, { concurrency: 2 });
    await working.start();
    while (lost.size === 0) await clock.advance(100);
    const fresh = [await submit(), await submit(), await submit()];
    for (const id of fresh) while ((await read(id)).state === "pending") await clock.advance(1);
    expect(lost.size).toBe(1);
    finish.resolve();
    await working.stop();
  });

  it("does not make operations of one definition wait for those of another", async () => {
    const stage = createStage(BOTH);
    const { submit, lose, worker, clock } = stage;
    await lose(await submit());
    await lose(await submit({}, "/reports"));
    await clock.advance(LEASE_MS);
    const orders = timedWork(stage, 1_000);
    const others = timedWork(stage, 1_000);
    await worker({ orders: orders.run, reports: others.run }).start();
    while (orders.begun.length + others.begun.length < 2) await clock.advance(50);
    expect(orders.begun[0]?.at).toBe(others.begun[0]?.at);
  });

  it("runs an operation that was lost twice alone, until it ends", async () => {
    const stage = createStage(BOTH);
    const { submit, lose, worker, clock, read } = stage;
    const twice = await submit();
    await lose(twice);
    await clock.advance(LEASE_MS);
    await lose(twice);
    const beside = [await submit(), await submit({}, "/reports")];
    for (const id of beside) await lose(id);
    await clock.advance(LEASE_MS);
    const orders = timedWork(stage, 300_000);
    const others = timedWork(stage, 1_000);
    const working = worker({ orders: orders.run, reports: others.run });
    await working.start();
    for (const id of [twice, ...beside])
      while ((await read(id)).state === "pending") await clock.advance(1_000);
    const [first, second] = orders.begun;
    expect([first?.id, second?.id]).toEqual([twice, beside[0]]);
    const end = (first?.at ?? 0) + 300_000;
    expect(second?.at).toBeGreaterThanOrEqual(end);
    expect(others.begun[0]?.at).toBeGreaterThanOrEqual(end);
    await working.stop();
  });
});
