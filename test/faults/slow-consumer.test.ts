import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { OrderProcess } from "./order-processes.js";
import { keysOf, type SentOrder, sendAll } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

const CONCURRENCY = 5;
const BACKLOG = 1_000;
const MEASURED = 500;
const MEGABYTE = 1_048_576;

describeOnEachStore("a worker that is too slow for the load (F9)", (bench) => {
  it("does not slow down submissions, take more work than it has slots, or use more memory", async () => {
    const api = await bench().start({ role: "api" });
    const worker = { concurrency: CONCURRENCY, leaseMs: 20_000, drainTimeoutMs: 20_000 };
    const slow = await bench().start({ role: "worker", slowMs: 5_000, worker });
    const sendMany = (prefix: string, count: number): Promise<readonly SentOrder[]> =>
      sendAll(keysOf(prefix, count), () => api.baseUrl, { clients: 8 });
    await sendMany("quick-warm", MEASURED);
    const quick = await sendMany("quick", MEASURED);
    await bench().untilTerminal();
    const measureAll = () => Promise.all([api, slow].map((process) => process.measure()));
    const initial = await measureAll();

    let isWatched = true;
    let mostHeld = 0;
    const watching = (async () => {
      for (; isWatched; await sleep(50)) mostHeld = Math.max(mostHeld, await bench().held());
    })();
    const backlog = await sendMany("slow", BACKLOG);
    await vi.waitUntil(() => [...running(slow)].at(-1) === CONCURRENCY);
    const behind = await sendMany("slow-behind", MEASURED);
    // Waits for three more rounds of work.
    const rounds = slow.begun.length + 3 * CONCURRENCY;
    await vi.waitUntil(() => slow.begun.length >= rounds);
    isWatched = false;
    await watching;
    expect(mostHeld).toBeLessThanOrEqual(CONCURRENCY);
    expect(Math.max(...running(slow))).toBe(CONCURRENCY);

    expect(p99(behind)).toBeLessThan(3 * p99(quick) + 250);
    for (const [index, { heapUsed, handles }] of (await measureAll()).entries()) {
      expect(heapUsed).toBeLessThan((initial[index]?.heapUsed ?? 0) + 4 * MEGABYTE);
      expect(handles).toBeLessThan((initial[index]?.handles ?? 0) + 20);
    }

    const helper = await bench().start({ role: "worker", slowMs: 1 });
    expect(await slow.stop()).toBe(0);
    await bench().expectCompleted([...quick, ...backlog, ...behind]);
    await helper.stop();
  });
});

/** Yields the number of running attempts after each event of a worker. */
function* running({ events }: OrderProcess): Iterable<number> {
  let count = 0;
  for (const { event } of events) {
    if (event === "operation.started") yield ++count;
    if (event === "operation.completed") yield --count;
  }
}

function p99(orders: readonly SentOrder[]): number {
  const sorted = orders.map(({ slowestMs }) => slowestMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}
