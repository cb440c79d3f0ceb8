import { expect, it } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { continueAndLose, crashAndReplace, startAndBegin, startPausing, submitAlone } from "./killed.js";
import { killAll } from "./order-processes.js";
import type { SentOrder } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("work in a transaction whose process is killed or paused", (installation) => {
  const bench = useFaultBench(installation);
  const expectOneEffect = async (order: SentOrder): Promise<void> => {
    await bench().expectCompleted([order]);
    expect((await bench().effects()).filter(({ itemId }) => itemId === order.key)).toHaveLength(1);
  };

  it.each([
    ["before its transaction", "in-work"],
    ["in its transaction", "after-effect"],
    ["at the end of its transaction", "during-transaction"],
    ["after its transaction", "after-transaction"],
  ])("has one effect if it is killed %s (F2)", async (_, crashAt) => {
    const order = await submitAlone(bench(), `transaction-${crashAt}`);
    await crashAndReplace(bench(), { transactional: true, crashAt });
    await expectOneEffect(order);
  });

  it("has one effect if it pauses, and the server ends its transaction (F8)", async () => {
    const order = await submitAlone(bench(), "transaction-stopped");
    const backend = { idleTransactionTimeoutMs: 2_500 };
    const paused = await startPausing(bench(), { transactional: true, backend, crashAt: "after-effect" });
    // When the lease has expired, the transaction still holds the operation until the server ends it.
    const other = await startAndBegin(bench(), { transactional: true });
    await continueAndLose(paused);
    await expectOneEffect(order);
    await killAll([paused, other]);
  });
});
