import { createWorker } from "async-request-reply";
import { expect } from "vitest";
import { nextTurn } from "../../../src/platform/waits.js";
import { type Scenario, scenariosOf } from "./scenarios.js";
import { existing, exportsOf, importsOf, redriven } from "./stage.js";

/** Scenarios in which an operator pauses and resumes definitions. */
export const pausingScenarios: readonly Scenario[] = scenariosOf({
  "pauses a definition: its work is accepted and waits, and that of others begins": async ({
    operator,
    submit,
    end,
    work,
  }) => {
    const waiting = await submit("complete");
    await operator.pause("exports");
    const later = await end("complete", { tenant: "b" });
    const other = await end("complete", { definition: importsOf });
    await work();
    for (const id of [waiting, later])
      expect(await operator.get(id)).toMatchObject({ status: "pending", attempt: 0 });
    expect(await operator.get(other)).toMatchObject({ status: "completed" });
    await operator.resume("exports");
    await work();
    for (const id of [waiting, later])
      expect(await operator.get(id)).toMatchObject({ status: "completed", attempt: 1 });
  },
  "wakes up workers that wait, as soon as a definition is resumed": async ({ operator, backend, submit }) => {
    const begun: string[] = [];
    let seen: () => void = () => {};
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        seen = resolve;
      });
    const run = (name: string) => (): void => {
      begun.push(name);
      seen();
    };
    const source = { backend, definitions: [exportsOf, importsOf] as const, observe: false as const };
    const worker = createWorker(source, { exports: run("exports"), imports: run("imports") });
    await operator.pause("exports");
    await worker.start();
    await submit("complete");
    const imported = next();
    await submit("complete", { definition: importsOf });
    await imported;
    // Now the worker is very likely to wait, and not to look just after the end of the pause.
    for (let turn = 0; turn < 50; turn += 1) {
      await operator.stats();
      await nextTurn();
    }
    expect(begun).toEqual(["imports"]);
    const exported = next();
    await operator.resume("exports");
    await exported;
    await worker.stop();
    expect(begun).toEqual(["imports", "exports"]);
  },
  "shows since when and by whom a definition is paused, in every process, and the first pause counts":
    async ({ operator, other }) => {
      const before = Date.now();
      await operator.pause("exports", { by: "ann" });
      const [paused, running] = await other().stats();
      const { since, by } = paused?.paused ?? {};
      expect(by).toBe("ann");
      expect(Math.abs((since?.getTime() ?? 0) - before)).toBeLessThan(60_000);
      expect(running).not.toHaveProperty("paused");
      await other().pause("exports", { by: "bob" });
      await other().pause("imports");
      expect((await operator.stats()).map((stats) => stats.paused)).toEqual([
        { since, by: "ann" },
        { since: expect.any(Date) },
      ]);
      await other().resume("exports");
      await operator.resume("exports");
      expect((await operator.stats())[0]).not.toHaveProperty("paused");
    },
  "cancels and redrives operations of a paused definition": async ({ operator, submit, end, work }) => {
    const failed = await end("throw");
    const pending = await submit("complete");
    await operator.pause("exports");
    expect(await operator.cancel(pending)).toMatchObject({ outcome: "cancelled" });
    const successor = await redriven(operator, failed);
    await work();
    expect(await existing(operator.get(successor))).toMatchObject({ status: "pending", attempt: 0 });
    await operator.resume("exports");
    await work();
    expect(await existing(operator.get(successor))).toMatchObject({ status: "failed", attempt: 1 });
  },
});
