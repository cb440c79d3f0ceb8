import { beforeAll, expect, it } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import type { OrderProcess } from "./order-processes.js";
import { newOrder, type SentOrder, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a submission whose process is killed (F1)", (installation) => {
  const bench = useFaultBench(installation);
  const sent: SentOrder[] = [];
  let survivor: OrderProcess;
  beforeAll(async () => {
    survivor = await bench().start({ role: "all" });
  });

  it.each([
    ["before it is recorded", "before-record", false],
    ["while it is recorded", "during-record", false],
    ["after it was recorded", "after-record", false],
    ["before it is announced", "before-publish", false],
    ["after it was announced", "after-publish", false],
    ["before the reply", "before-reply", false],
    ["in the middle of the reply", "during-reply", false],
    ["before its key is claimed", "before-claim", true],
    ["while its key is claimed", "during-claim", true],
    ["between its key and its operation", "after-claim", true],
    ["while its operation is created", "during-create", true],
    ["after its operation was created", "after-create", true],
  ])("%s has one operation when it comes again elsewhere", async (_, crashAt, composed) => {
    const crashing = await bench().start({ role: "api", crashAt, composed });
    const order = newOrder(crashAt);
    sent.push(order);
    // Announcing is not waited for: there the reply may be out first.
    expect([0, 202]).toContain(await sendOnce(order, crashing.baseUrl));
    expect(await crashing.exited).toBeNull();
    expect(await sendOnce(order, survivor.baseUrl)).toBe(202);
    expect(order.operationIds.size).toBe(1);
    // Shorter than any lease: a retry waits for nobody who has died.
    expect(order.slowestMs).toBeLessThan(5_000);
  });

  it("is worked on once, whichever it is", async () => {
    await bench().settled();
    await bench().expectInvariants(sent);
    expect(await bench().operations()).toHaveLength(sent.length);
  });
});
