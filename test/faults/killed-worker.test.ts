import type { Operation } from "async-request-reply/ports";
import { expect, it, vi } from "vitest";
import { type SentOrder, send } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

describeOnEachStore("work whose process is killed or paused", (bench) => {
  const submit = async (key: string): Promise<SentOrder> => {
    const api = await bench().start({ role: "api" });
    const order = await send(key, () => api.baseUrl);
    api.kill("SIGTERM");
    await api.exited;
    return order;
  };

  it.each([
    ["before the work starts", "before-work"],
    ["during the work", "in-work"],
    ["after its effect", "after-effect"],
    ["before the operation is settled", "before-settle"],
    ["while the operation is settled", "during-settle"],
    ["after the operation is settled", "after-settle"],
  ])("completes, with one ledger row, if it is killed %s (F2)", async (_, crashAt) => {
    const order = await submit(crashAt);
    const crashing = await bench().start({ role: "worker", crashAt });
    expect(await crashing.exited).toBeNull();
    const other = await bench().start({ role: "worker" });
    await bench().untilTerminal();
    other.kill("SIGTERM");
    expect(await other.exited).toBe(0);
    await bench().expectInvariants([order]);
  });

  it.each([
    ["during the work, while another process repeats it", "slow-held", "in-work", 5_000],
    ["before settling, while another process repeats the work", "slow-late", "before-settle", 5_000],
    ["before settling, until another process has completed the work", "slow-done", "before-settle", 600],
  ])(
    "keeps the result of the new attempt if it pauses past its lease %s (F8)",
    async (_, key, crashAt, slowMs) => {
      const order = await submit(key);
      const paused = await bench().start({ role: "worker", crashAt, crashBy: "SIGSTOP" });
      await vi.waitUntil(() => paused.begun.length === 1);
      const other = await bench().start({ role: "worker", slowMs });
      await vi.waitUntil(() => other.begun.length === 1);
      if (key === "slow-done") await bench().untilTerminal();
      paused.kill("SIGCONT");
      const isLost = (): boolean => paused.events.some(({ event }) => event === "attempt.lost");
      await vi.waitUntil(isLost);
      const mine = async (): Promise<Operation | undefined> =>
        (await bench().operations()).find((operation) => operation.key === key);
      expect(await mine()).toMatchObject({
        state: key === "slow-done" ? "completed" : "pending",
        attempt: 2,
      });
      await bench().untilTerminal();
      // The result comes from the second attempt, because the first one lost its lease.
      expect(await mine()).toMatchObject({ result: JSON.stringify({ itemId: key, attempt: 2 }) });
      await bench().expectInvariants([order]);
      for (const worker of [paused, other]) worker.kill("SIGKILL");
      await Promise.all([paused.exited, other.exited]);
    },
  );
});
