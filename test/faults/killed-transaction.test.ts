import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { type SentOrder, send } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("work in a transaction whose process is killed or paused", (installation) => {
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
    ["before its transaction", "in-work"],
    ["in its transaction", "after-effect"],
    ["at the end of its transaction", "during-transaction"],
    ["after its transaction", "after-transaction"],
  ])("has one effect if it is killed %s (F2)", async (_, crashAt) => {
    const order = await submit(`transaction-${crashAt}`);
    const crashing = await bench().start({ role: "worker", transactional: true, crashAt });
    expect(await crashing.exited).toBeNull();
    const other = await bench().start({ role: "worker", transactional: true });
    await bench().untilTerminal();
    other.kill("SIGTERM");
    expect(await other.exited).toBe(0);
    await bench().expectInvariants([order]);
    expect(await effectsOf(order)).toHaveLength(1);
  });

  it("has one effect if it pauses, and the server ends its transaction (F8)", async () => {
    const order = await submit("transaction-stopped");
    const crash = { crashAt: "after-effect", crashBy: "SIGSTOP" } as const;
    const backend = { idleTransactionTimeoutMs: 2_500 };
    const paused = await bench().start({ role: "worker", transactional: true, backend, ...crash });
    await vi.waitUntil(() => paused.begun.length === 1);
    const other = await bench().start({ role: "worker", transactional: true });
    // The lease has expired, but the transaction holds the operation until the server ends it.
    await vi.waitUntil(() => other.begun.length === 1);
    paused.kill("SIGCONT");
    const isLost = (): boolean => paused.events.some(({ event }) => event === "attempt.lost");
    await vi.waitUntil(isLost);
    await bench().untilTerminal();
    await bench().expectInvariants([order]);
    expect(await effectsOf(order)).toHaveLength(1);
    for (const worker of [paused, other]) worker.kill("SIGKILL");
    await Promise.all([paused.exited, other.exited]);
  });
});
