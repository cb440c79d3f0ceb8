import type { Operation } from "async-request-reply/ports";
import { expect, it } from "vitest";
import { continueAndLose, crashAndReplace, startAndBegin, startPausing, submitAlone } from "./killed.js";
import { killAll } from "./order-processes.js";
import { describeOnEachStore } from "./use-fault-bench.js";

describeOnEachStore("work whose process is killed or paused", (bench) => {
  it.each([
    ["before the work starts", "before-work"],
    ["during the work", "in-work"],
    ["after its effect", "after-effect"],
    ["before the operation is settled", "before-settle"],
    ["while the operation is settled", "during-settle"],
    ["after the operation is settled", "after-settle"],
  ])("completes, with one ledger row, if it is killed %s (F2)", async (_, crashAt) => {
    const order = await submitAlone(bench(), crashAt);
    await crashAndReplace(bench(), { crashAt });
    await bench().expectCompleted([order]);
  });

  it.each([
    ["during the work, while another process repeats it", "slow-held", "in-work", 5_000],
    ["before settling, while another process repeats the work", "slow-late", "before-settle", 5_000],
    ["before settling, until another process has completed the work", "slow-done", "before-settle", 600],
  ])(
    "keeps the result of the new attempt if it pauses past its lease %s (F8)",
    async (_, key, crashAt, slowMs) => {
      const order = await submitAlone(bench(), key);
      const paused = await startPausing(bench(), { crashAt });
      const other = await startAndBegin(bench(), { slowMs });
      if (key === "slow-done") await bench().untilTerminal();
      await continueAndLose(paused);
      const mine = async (): Promise<Operation | undefined> =>
        (await bench().operations()).find((operation) => operation.key === key);
      const state = key === "slow-done" ? "completed" : "pending";
      expect(await mine()).toMatchObject({ state, attempt: 2 });
      await bench().expectCompleted([order]);
      // The result comes from the second attempt, because the first one lost its lease.
      expect(await mine()).toMatchObject({ result: JSON.stringify({ itemId: key, attempt: 2 }) });
      await killAll([paused, other]);
    },
  );
});
