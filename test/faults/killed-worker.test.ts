import type { Operation } from "async-request-reply";
import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { type SentOrder, send } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("work whose process", (installation) => {
  const bench = useFaultBench(installation);
  const submit = async (key: string): Promise<SentOrder> => {
    const api = await bench().start({ role: "api" });
    const order = await send(key, () => api.baseUrl);
    api.kill("SIGTERM");
    await api.exited;
    return order;
  };

  const effectsOf = async ({ key }: SentOrder): Promise<readonly unknown[]> =>
    (await bench().effects()).filter(({ itemId }) => itemId === key);

  it.each([
    ["before it begins", "before-work"],
    ["in the middle of it", "in-work"],
    ["after its effect", "after-effect"],
    ["before it is settled", "before-settle"],
    ["while it is settled", "during-settle"],
    ["after it was settled", "after-settle"],
  ])("is killed %s is done all the same, with one row of the ledger (F2)", async (_, crashAt) => {
    const order = await submit(crashAt);
    const crashing = await bench().start({ role: "worker", crashAt });
    expect(await crashing.exited).toBeNull();
    const other = await bench().start({ role: "worker" });
    await bench().settled();
    other.kill("SIGTERM");
    expect(await other.exited).toBe(0);
    await bench().expectInvariants([order]);
  });

  it.each([
    ["before its transaction", "in-work"],
    ["in its transaction", "after-effect"],
    ["at the end of its transaction", "during-transaction"],
    ["after its transaction", "after-transaction"],
  ])("is killed %s leaves one effect, where it settles in a transaction (F2)", async (_, crashAt) => {
    const order = await submit(`transaction-${crashAt}`);
    const crashing = await bench().start({ role: "worker", transactional: true, crashAt });
    expect(await crashing.exited).toBeNull();
    const other = await bench().start({ role: "worker", transactional: true });
    await bench().settled();
    other.kill("SIGTERM");
    expect(await other.exited).toBe(0);
    await bench().expectInvariants([order]);
    expect(await effectsOf(order)).toHaveLength(1);
  });

  it("stands still in its transaction is ended by the server, and leaves the one effect of another (F8)", async () => {
    const order = await submit("transaction-stopped");
    const crash = { crashAt: "after-effect", crashBy: "SIGSTOP" } as const;
    const backend = { idleTransactionTimeoutMs: 2_500 };
    const paused = await bench().start({ role: "worker", transactional: true, backend, ...crash });
    await vi.waitUntil(() => paused.begun.length === 1, { timeout: 10_000 });
    const other = await bench().start({ role: "worker", transactional: true });
    // Its lease has run out before, but its transaction holds the operation until the server ends it.
    await vi.waitUntil(() => other.begun.length === 1, { timeout: 20_000 });
    paused.kill("SIGCONT");
    const isLost = (): boolean => paused.events.some(({ event }) => event === "attempt.lost");
    await vi.waitUntil(isLost, { timeout: 10_000 });
    await bench().settled();
    await bench().expectInvariants([order]);
    expect(await effectsOf(order)).toHaveLength(1);
    for (const worker of [paused, other]) worker.kill("SIGKILL");
    await Promise.all([paused.exited, other.exited]);
  });

  it.each([
    ["while another process does it again", "slow-held", "in-work", 5_000],
    ["while another does it, and has only to say that it is done", "slow-late", "before-settle", 5_000],
    ["once another process has done it", "slow-done", "before-settle", 600],
  ])(
    "stands still past its lease and goes on later changes nothing, %s (F8)",
    async (_, key, crashAt, slowMs) => {
      const order = await submit(key);
      const paused = await bench().start({ role: "worker", crashAt, crashBy: "SIGSTOP" });
      await vi.waitUntil(() => paused.begun.length === 1, { timeout: 10_000 });
      const other = await bench().start({ role: "worker", slowMs });
      await vi.waitUntil(() => other.begun.length === 1, { timeout: 10_000 });
      if (key === "slow-done") await bench().settled();
      paused.kill("SIGCONT");
      const isLost = (): boolean => paused.events.some(({ event }) => event === "attempt.lost");
      await vi.waitUntil(isLost, { timeout: 10_000 });
      const mine = async (): Promise<Operation | undefined> =>
        (await bench().operations()).find((operation) => operation.key === key);
      expect(await mine()).toMatchObject({
        state: key === "slow-done" ? "completed" : "pending",
        attempt: 2,
      });
      await bench().settled();
      // The result of the second attempt: the first came too late.
      expect(await mine()).toMatchObject({ result: JSON.stringify({ itemId: key, attempt: 2 }) });
      await bench().expectInvariants([order]);
      for (const worker of [paused, other]) worker.kill("SIGKILL");
      await Promise.all([paused.exited, other.exited]);
    },
  );
});
