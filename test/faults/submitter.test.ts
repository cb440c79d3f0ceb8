import { beforeAll, expect, it } from "vitest";
import type { OrderProcess } from "./order-processes.js";
import { newOrder, type SentOrder, sendOnce } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

describeOnEachStore("a submission whose process is killed (F1)", (bench) => {
  const sent: SentOrder[] = [];
  let survivor: OrderProcess;
  beforeAll(async () => {
    survivor = await bench().start({ role: "all" });
  });

  it.each([
    ["before it is recorded", "before-record"],
    ["while it is recorded", "during-record"],
    ["after it is recorded", "after-record"],
    ["before it is announced", "before-publish"],
    ["after it is announced", "after-publish"],
    ["before the reply", "before-reply"],
    ["during the reply", "during-reply"],
  ])("%s has one operation after a retry at another process", async (_, crashAt) => {
    const crashing = await bench().start({ role: "api", crashAt });
    const order = newOrder(crashAt);
    sent.push(order);
    // The reply does not wait for the announcement, so it may arrive before the crash.
    expect([0, 202]).toContain(await sendOnce(order, crashing.baseUrl));
    expect(await crashing.exited).toBeNull();
    expect(await sendOnce(order, survivor.baseUrl)).toBe(202);
    expect(order.operationIds.size).toBe(1);
    // Shorter than any lease: a retry does not wait for a dead process.
    expect(order.slowestMs).toBeLessThan(5_000);
  });

  it("is run once in every case", async () => {
    await bench().expectCompleted(sent);
    expect(await bench().operations()).toHaveLength(sent.length);
  });
});
