import type { ChildProcess } from "node:child_process";
import { defineOrders } from "async-request-reply";
import { createOperator } from "async-request-reply/operator";
import { expect, it, onTestFinished } from "vitest";
import { effort } from "../support/effort.js";
import { describeClients, type SqliteClient } from "../support/sqlite/clients.js";
import { newDatabaseFile } from "../support/sqlite/database-files.js";
import { createChildren, until } from "./children.js";

interface Message {
  readonly counts: Readonly<Record<string, number>>;
  readonly closed: boolean;
}

const HOUR_MS = 3_600_000;
const PAGE = 1_000;
/** An even number: every second round ends with a process that has run everything. */
const ROUNDS = effort(2, 2, 20);

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
    /** Counts the operations that have ended in the store. */
    ended: async () => {
      const counts = { completed: 0, failed: 0 };
      for (const state of ["completed", "failed"] as const) {
        let page = await backend.operations.list({ state, limit: PAGE });
        while (page.length > 0) {
          counts[state] += page.length;
          const after = page.at(-1);
          page = await backend.operations.list({
            state,
            limit: PAGE,
            ...(after === undefined ? {} : { after }),
          });
        }
      }
      return counts;
    },
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

/** Returns whether a count is in order: not 0, and at most this. */
function isUpTo(most: number): (count: number) => boolean {
  return (count) => count > 0 && count <= most;
}

type Totals = ReturnType<typeof toTotals>;

function sumOf(one: Totals, other: Totals): Totals {
  const sums = Object.entries(one).map(([name, count]) => [name, count + other[name as keyof Totals]]);
  return Object.fromEntries(sums) as Totals;
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
    const expected = sumOf(before, after);
    expect(expected).toMatchObject({ accepted: 2_000, completed: 1_900, failed: 100 });
    expect(expected.retried).toBeGreaterThan(100);
    expect(await totals()).toEqual(expected);
    await backend.minutes.fold({ limit: 100 });
    expect(await totals()).toEqual(expected);
  });

  it(`lack only what killed processes had not written, in ${ROUNDS} rounds of 1,000 orders`, {
    timeout: ROUNDS * 90_000,
  }, async () => {
    const { start, kill, ask, idle, totals, ended } = await createScene(client);
    let known = await totals();
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = await start();
      await ask(child, { submit: { count: 1_000 } });
      if (round % 2 === 1) {
        await idle();
        known = sumOf(known, toTotals(await ask(child, { close: true })));
        expect(await totals()).toEqual(known);
        continue;
      }
      const { accepted } = known;
      // Processes write within 10 s.
      if (round % 4 === 0) await until(async () => (await totals()).accepted > accepted);
      await kill(child);
      known = await totals();
    }
    const { completed, failed } = await ended();
    expect([completed + failed, known.accepted]).toEqual([
      ROUNDS * 1_000,
      expect.toSatisfy(isUpTo(ROUNDS * 1_000)),
    ]);
    expect(known).toMatchObject({
      completed: expect.toSatisfy(isUpTo(completed)),
      failed: expect.toSatisfy(isUpTo(failed)),
    });
  });
});
