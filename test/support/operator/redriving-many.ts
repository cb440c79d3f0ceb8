import { expect } from "vitest";
import { claimOne } from "../claims.js";
import { type Scenario, scenariosOf } from "./scenarios.js";
import { idsOf, importsOf, type OperatorStage } from "./stage.js";

/** As fast as a millisecond clock allows. */
const perSecond = 1_000;

/** Returns the ids of the redriven operations in order. */
async function redrivenOf({ operator }: OperatorStage): Promise<string[]> {
  const { operations } = await operator.list({ limit: 1_000 });
  return operations.flatMap(({ retryOf }) => retryOf ?? []).sort();
}

/** Scenarios in which an operator runs many operations again. */
export const redrivingManyScenarios: readonly Scenario[] = scenariosOf({
  "runs every matching operation again, once": async (stage) => {
    const { operator, end, events } = stage;
    const failed = [await end("throw"), await end("throw", { tenant: "b" }), await end("throw")].sort();
    await end("refuse");
    await end("complete");
    await end("throw", { definition: importsOf });
    const filter = { definition: "exports", errorType: "attempts-exhausted" } as const;
    expect(await operator.redrive(filter, { perSecond })).toEqual({ redriven: 3, skipped: 0 });
    expect(await redrivenOf(stage)).toEqual(failed);
    expect(events.map(({ event }) => event)).toEqual([
      ...Array(3).fill("operation.redriven"),
      "operator.acted",
    ]);
    expect(await operator.redrive(filter, { perSecond })).toEqual({ redriven: 0, skipped: 3 });
  },
  "runs only operations of a principal again": async (stage) => {
    const { operator, end } = stage;
    const anns = await end("throw", { principal: "ann" });
    await end("throw", { principal: "bob" });
    expect(await operator.redrive({ principal: "ann" }, { perSecond })).toEqual({
      redriven: 1,
      skipped: 0,
    });
    expect(await redrivenOf(stage)).toEqual([anns]);
  },
  "shows in a dry run which operations would run again, and runs none": async (stage) => {
    const { operator, end, events } = stage;
    const failed: string[] = [];
    for (let count = 0; count < 12; count += 1) failed.push(await end("throw"));
    await operator.redrive(failed[0] ?? "");
    const preview = await operator.redrive({ definition: "exports" }, { dryRun: true });
    expect(preview).toEqual({ count: 11, more: false, sample: expect.any(Array) });
    expect(preview.sample).toHaveLength(10);
    expect(failed.slice(1)).toEqual(expect.arrayContaining([...preview.sample]));
    expect(events).toHaveLength(2);
    expect(await redrivenOf(stage)).toEqual([failed[0]]);
  },
  "omits cancelled operations unless they are requested": async (stage) => {
    const { operator, end, submit } = stage;
    const failed = await end("throw");
    const cancelled = await submit("complete");
    await operator.cancel(cancelled);
    expect(await operator.redrive({ tenant: "a" }, { dryRun: true })).toMatchObject({ sample: [failed] });
    expect(await operator.redrive({ tenant: "a" }, { perSecond })).toEqual({ redriven: 1, skipped: 0 });
    expect(await redrivenOf(stage)).toEqual([failed]);
    const filter = { errorType: "cancelled" } as const;
    expect(await operator.redrive(filter, { perSecond })).toEqual({ redriven: 1, skipped: 0 });
    expect(await redrivenOf(stage)).toEqual([failed, cancelled].sort());
  },
  "stops at its limit and continues from its cursor": async (stage) => {
    const { operator, end } = stage;
    const failed: string[] = [];
    for (let count = 0; count < 5; count += 1) failed.push(await end("throw"));
    const calls: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { cursor: next, ...done } = await operator.redrive(
        { tenant: "a" },
        { limit: 2, perSecond, cursor },
      );
      calls.push(done);
      cursor = next;
    } while (cursor !== undefined);
    expect(calls).toEqual([2, 2, 1].map((redriven) => ({ redriven, skipped: 0 })));
    expect(await redrivenOf(stage)).toEqual(failed.sort());
    await stage.work();
    const rest = await operator.redrive({ tenant: "a" }, { dryRun: true });
    expect(rest).toMatchObject({ count: 5, more: false });
  },
  "redrives hidden operations only on request": async ({ operator, backend }) => {
    const id = "01900000-0000-7000-8000-00000000fffd";
    const operation = {
      id,
      tenant: "a",
      definition: "exports",
      input: '{"outcome":"refuse"}',
      retentionMs: 60_000,
    };
    await backend.operations.create({ ...operation, hidden: true });
    await claimOne(backend.operations, id, { token: "t", leaseMs: 60_000 });
    await backend.operations.settle({ operationId: id, token: "t" }, { to: "failed", error: "{}" });
    expect(await operator.redrive({ tenant: "a" })).toEqual({ redriven: 0, skipped: 0 });
    expect(await operator.redrive({ tenant: "a", internal: true })).toEqual({ redriven: 1, skipped: 0 });
    const { operations } = await operator.list({ internal: true });
    expect(idsOf(operations)).toHaveLength(2);
    expect(operations.every(({ hidden }) => hidden)).toBe(true);
  },
});
