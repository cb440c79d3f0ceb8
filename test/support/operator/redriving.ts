import { problemType } from "async-request-reply/ports";
import { expect } from "vitest";
import { type Scenario, scenariosOf } from "./scenarios.js";
import { existing, idsOf, importsOf, redriven } from "./stage.js";

const UNKNOWN = "01900000-0000-7000-8000-00000000ffff";

/** Returns the time in a UUID v7. Epoch milliseconds. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

/** Scenarios in which an operator runs one operation again. */
export const redrivingScenarios: readonly Scenario[] = scenariosOf({
  "runs a failed operation again as a new one and leaves the failed one unchanged": async ({
    operator,
    events,
    end,
    work,
    mend,
  }) => {
    const failed = await end("mend", { tenant: "b", note: "hello", key: "k1" });
    const before = await existing(operator.get(failed));
    mend();
    const result = await operator.redrive(failed);
    expect(result).toMatchObject({
      outcome: "redriven",
      operation: { status: "pending", retryOf: failed },
    });
    const { operationId } = await existing(Promise.resolve(result.operation));
    expect(result.operation).toEqual(await operator.get(operationId));
    expect(events).toEqual([
      { event: "operation.redriven", operationId, retryOf: failed, definition: "exports", tenant: "b" },
      { event: "operator.acted", action: "redrive", operationId: failed, definition: "exports", tenant: "b" },
    ]);
    await work();
    const successor = await existing(operator.get(operationId));
    const { tenant, definition, input, retentionMs, failedRetentionMs } = before;
    const kept = { retentionMs, failedRetentionMs };
    expect(successor).toMatchObject({ tenant, definition, input, ...kept, retryOf: failed });
    expect(successor).toMatchObject({ status: "completed", result: { note: "hello" } });
    expect(successor.key).toBeUndefined();
    expect(await operator.get(failed)).toEqual({ ...before, retriedBy: operationId });
  },
  "shows the urgency of an operation, and runs it again with the same one": async ({ operator, end }) => {
    const failed = await end("throw", { urgency: 6 });
    const usual = await end("throw");
    expect(await operator.get(await redriven(operator, failed))).toMatchObject({ urgency: 6 });
    expect(await operator.get(await redriven(operator, usual))).toMatchObject({ urgency: 3 });
    const { operations } = await operator.list();
    expect(operations.map(({ urgency }) => urgency).sort()).toEqual([3, 3, 6, 6]);
    expect(await operator.get(failed)).toMatchObject({ urgency: 6 });
  },
  "returns the same operation to repeated and concurrent redrives of several processes": async ({
    operator,
    other,
    events,
    end,
  }) => {
    const failed = await end("throw");
    const operators = [operator, other(), other(), operator];
    const results = await Promise.all(operators.map((each) => each.redrive(failed)));
    results.push(await operator.redrive(failed));
    const ids = new Set(results.map(({ operation }) => operation?.operationId ?? ""));
    expect(ids.size).toBe(1);
    expect(results.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array(4).fill("already-redriven"),
      "redriven",
    ]);
    const { operations } = await operator.list();
    expect(idsOf(operations).sort()).toEqual([failed, ...ids].sort());
    expect(events.length).toBeLessThanOrEqual(2);
  },
  "derives the id of the new operation: a UUID v7 with the time when the failed one ended": async ({
    operator,
    end,
  }) => {
    const failed = await end("throw");
    const { finishedAt } = await existing(operator.get(failed));
    const operationId = await redriven(operator, failed);
    expect(operationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOf(operationId)).toBe(finishedAt?.getTime());
  },
  "redrives a successor that failed": async ({ operator, end, work }) => {
    const chain = [await end("throw")];
    for (let link = 0; link < 3; link += 1) {
      chain.push(await redriven(operator, chain.at(-1) ?? ""));
      await work();
    }
    expect(new Set(chain).size).toBe(4);
    const last = await existing(operator.get(chain[3] ?? ""));
    expect(last).toMatchObject({ status: "failed", retryOf: chain[2] });
    expect(last.retriedBy).toBeUndefined();
    expect(await operator.get(chain[1] ?? "")).toMatchObject({ retryOf: chain[0], retriedBy: chain[2] });
  },
  "returns why it does not run an operation again": async ({ operator, events, end, submit, backend }) => {
    const completed = await end("complete");
    const pending = await submit("complete");
    const abandoned = { id: UNKNOWN, tenant: "a", definition: "exports", input: "1", retentionMs: 1_000 };
    await backend.operations.create(abandoned, { state: "failed", error: "{}" });
    const redrive = (id: string): Promise<unknown> => operator.redrive(id);
    expect(await redrive(completed)).toEqual({ outcome: "completed" });
    expect(await redrive(pending)).toEqual({ outcome: "unfinished" });
    expect(await redrive(UNKNOWN)).toEqual({ outcome: "no-work" });
    expect(await redrive("01900000-0000-7000-8000-00000000fffe")).toEqual({ outcome: "unknown" });
    expect(await redrive("42")).toEqual({ outcome: "unknown" });
    expect(events).toEqual([]);
  },
  "redrives no operation of an unknown definition": async ({ operator, other, end }) => {
    const failed = await end("throw", { definition: importsOf });
    const narrow = other({ definitions: [{ ...importsOf, name: "accounts" }] });
    await expect(narrow.redrive(failed)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      detail: 'Unknown definition "imports". Known definitions: accounts.',
    });
    expect(await narrow.redrive({ tenant: "a" })).toEqual({ redriven: 0, skipped: 1 });
    expect(await narrow.redrive({ tenant: "a" }, { dryRun: true })).toMatchObject({ count: 0 });
    expect((await existing(operator.get(failed))).retriedBy).toBeUndefined();
  },
  "redrives a cancelled operation that is named": async ({ operator, submit }) => {
    const cancelled = await submit("complete");
    await operator.cancel(cancelled);
    expect(await operator.get(cancelled)).toMatchObject({ error: { type: problemType("cancelled") } });
    expect(await operator.redrive(cancelled)).toMatchObject({ outcome: "redriven" });
  },
});
