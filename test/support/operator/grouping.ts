import { expect } from "vitest";
import { type Scenario, scenariosOf } from "./scenarios.js";
import { idsOf, importsOf, redriven } from "./stage.js";

const QUOTED = "The processor threw RangeError: Order * of * is gone.";

/** Scenarios in which an operator groups failures. */
export const groupingScenarios: readonly Scenario[] = scenariosOf({
  "groups failures by definition, type of error and message": async ({ operator, end, submit }) => {
    const notes = ["Order 17 of ann@example.com is gone.", "Order 5f-0c of bob@example.com is gone."];
    const [anns = "", bobs = ""] = notes;
    const ids = [await end("quote", { note: anns }), await end("quote", { note: bobs, tenant: "b" })];
    await end("quote", { note: anns, definition: importsOf });
    await end("throw");
    await end("refuse");
    await end("complete");
    await operator.cancel(await submit("complete"));
    const { groups, complete } = await operator.failures();
    expect(complete).toBe(true);
    expect(groups[0]).toEqual({
      definition: "exports",
      errorType: "attempts-exhausted",
      message: QUOTED,
      count: 2,
      open: 2,
      firstFailedAt: (await operator.get(ids[0] ?? ""))?.finishedAt,
      lastFailedAt: (await operator.get(ids[1] ?? ""))?.finishedAt,
      exampleId: ids[1],
    });
    const others = groups
      .slice(1)
      .map(({ definition, errorType, message, count }) => [definition, errorType, message, count]);
    expect(others).toHaveLength(3);
    expect(others).toContainEqual(["imports", "attempts-exhausted", QUOTED, 1]);
    expect(others).toContainEqual([
      "exports",
      "attempts-exhausted",
      "The processor threw TypeError: broken",
      1,
    ]);
    expect(others).toContainEqual(["exports", "work-failed", "It cannot be done.", 1]);
  },
  "counts which failures of a group were run again, and has groups with open failures first": async ({
    operator,
    end,
  }) => {
    const done = [await end("throw"), await end("throw")];
    await end("throw", { definition: importsOf });
    for (const id of done) await redriven(operator, id);
    const countsOf = async (filter: object): Promise<unknown> =>
      (await operator.failures(filter)).groups.map(({ definition, count, open }) => [
        definition,
        count,
        open,
      ]);
    expect(await countsOf({})).toEqual([
      ["imports", 1, 1],
      ["exports", 2, 0],
    ]);
    expect(await countsOf({ redriven: false })).toEqual([["imports", 1, 1]]);
    expect(await countsOf({ redriven: true })).toEqual([["exports", 2, 0]]);
  },
  "groups only failures that match a filter, and cancelled operations on request": async ({
    operator,
    end,
    submit,
    other,
  }) => {
    await end("throw", { principal: "ann" });
    await end("throw", { tenant: "b" });
    const cancelled = await submit("complete", { tenant: "b" });
    await operator.cancel(cancelled);
    const examplesOf = async (filter: Parameters<typeof operator.failures>[0]): Promise<unknown> => {
      const { groups } = await operator.failures(filter);
      return groups.map(({ count, exampleId }) => [count, exampleId]);
    };
    const both = await operator.list({ status: "failed", errorType: "attempts-exhausted" });
    const [bs = "", anns = ""] = idsOf(both.operations);
    expect(await examplesOf({})).toEqual([[2, bs]]);
    expect(await examplesOf({ principal: "ann" })).toEqual([[1, anns]]);
    expect(await examplesOf({ tenant: "b" })).toEqual([[1, bs]]);
    expect(await examplesOf({ definition: "imports" })).toEqual([]);
    expect(await examplesOf({ createdFrom: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await examplesOf({ createdBefore: new Date(Date.now() + 60_000) })).toEqual([[2, bs]]);
    expect(await examplesOf({ errorType: "cancelled" })).toEqual([[1, cancelled]]);
    expect(await other({ definitions: [importsOf] }).failures()).toEqual({ groups: [], complete: true });
  },
  "lists a group and runs it again by its message, and finds it by the message of one operation too": async ({
    operator,
    end,
  }) => {
    const ids = [];
    for (const note of ["Order 1 of 7 is gone.", "Order 2 of 8 is gone."])
      ids.push(await end("quote", { note }));
    await end("throw");
    await end("complete");
    const [{ definition, errorType, message } = { definition: "", message: "" }] = (await operator.failures())
      .groups;
    expect(message).toBe(QUOTED);
    const listed = async (filter: object): Promise<string[]> =>
      idsOf((await operator.list(filter)).operations).sort();
    expect(await listed({ definition, errorType, message })).toEqual(ids.sort());
    expect(await listed({ message: message.replaceAll("*", "99") })).toEqual(ids);
    expect(await listed({ message: "The processor threw RangeError: Order" })).toEqual([]);
    expect(await operator.redrive({ message }, { dryRun: true })).toMatchObject({ count: 2 });
    expect(await operator.redrive({ message }, { perSecond: 1_000 })).toEqual({ redriven: 2, skipped: 0 });
    expect(await listed({ status: "failed", redriven: true })).toEqual(ids);
  },
  "returns the largest groups if there are more than asked for, and says so": async ({ operator, end }) => {
    await end("refuse");
    for (const tenant of ["a", "b"]) await end("throw", { tenant });
    const { groups, complete } = await operator.failures({ limit: 1 });
    expect(groups).toMatchObject([{ errorType: "attempts-exhausted", count: 2 }]);
    expect(complete).toBe(false);
    expect((await operator.failures({ limit: 2 })).complete).toBe(true);
  },
});
