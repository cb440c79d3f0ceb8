import type { ChildProcess } from "node:child_process";
import { defineOrders } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { expect, it, onTestFinished } from "vitest";
import { describeClients, type SqliteClient } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { createChildren, until } from "./children.js";

interface Message {
  readonly counts: Readonly<Record<string, number>>;
  readonly closed: boolean;
}

const HOUR_MS = 3_600_000;

async function createScene(client: SqliteClient) {
  const file = newDatabaseFile(client);
  onTestFinished(() => file.remove());
  const messages: Message[] = [];
  const { start, kill } = createChildren<Message>("counts-child.mjs", (message) => messages.push(message));
  const backend = file.open();
  const operator = createOperator({ backend, definitions: [defineOrders()], observe: false });
  /** Returns the sum of what was counted. */
  const totals = async () => {
    const [from, to] = [new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS)];
    const steps = await operator.series({ from, to, stepMs: 24 * HOUR_MS });
    const names = ["accepted", "started", "completed", "failed", "retried", "lost"] as const;
    const sums = names.map((name) => [name, steps.reduce((sum, step) => sum + step[name], 0)]);
    return Object.fromEntries(sums) as Record<(typeof names)[number], number>;
  };
  return {
    kill,
    totals,
    backend,
    start: () => start(client.name, file.path),
    ask: async (child: ChildProcess, message: object): Promise<Message> => {
      const { length } = messages;
      child.send(message);
      await until(() => messages.length > length);
      return messages[length] as Message;
    },
    idle: async () => {
      await until(async () => {
        const [stats] = await operator.stats();
        return stats?.due.count === 0 && stats.running.count === 0 && stats.scheduled.count === 0;
      });
    },
  };
}

function toTotals({ counts }: Message) {
  const of = (event: string): number => counts[event] ?? 0;
  return {
    accepted: of("operation.accepted"),
    started: of("operation.started"),
    completed: of("operation.completed"),
    failed: of("operation.failed"),
    retried: of("operation.retried"),
    lost: of("attempt.lost"),
  };
}

describeClients("the counts of 2,000 orders", (client) => {
  it("equal the events of their processes, one of which was stopped in the middle", {
    timeout: 180_000,
  }, async () => {
    const { start, ask, idle, totals, backend } = await createScene(client);
    const first = await start();
    await ask(first, { submit: { count: 1_000 } });
    const before = toTotals(await ask(first, { close: true }));
    const second = await start();
    await ask(second, { submit: { count: 1_000 } });
    await idle();
    const after = toTotals(await ask(second, { close: true }));
    const sums = Object.entries(before).map(([name, count]) => [name, count + after[name as "lost"]]);
    const expected = Object.fromEntries(sums);
    expect(expected).toMatchObject({ accepted: 2_000, completed: 1_900, failed: 100 });
    expect(expected.retried).toBeGreaterThan(100);
    expect(await totals()).toEqual(expected);
    await backend.minutes.fold({ limit: 100 });
    expect(await totals()).toEqual(expected);
  });

  it("lack only what a killed process had not written", { timeout: 180_000 }, async () => {
    const { start, kill, ask, idle, totals } = await createScene(client);
    const doomed = await start();
    await ask(doomed, { submit: { count: 1_000 } });
    await idle();
    // Written within 10 s.
    await until(async () => (await totals()).completed === 950);
    await ask(doomed, { submit: { count: 20 } });
    await kill(doomed);
    const { accepted } = await totals();
    expect(accepted).toBeGreaterThanOrEqual(1_000);
    expect(accepted).toBeLessThanOrEqual(1_020);
    const next = await start();
    await ask(next, { submit: { count: 980 } });
    await idle();
    const after = toTotals(await ask(next, { close: true }));
    expect(await totals()).toMatchObject({ accepted: accepted + 980, completed: expect.any(Number) });
    expect((await totals()).completed).toBeGreaterThanOrEqual(950 + after.completed);
    expect((await totals()).completed).toBeLessThanOrEqual(1_900);
  });
});
