import { expect, it, vi } from "vitest";
import type { OrderProcess, ResourceUse } from "./order-processes.js";
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
    const measureAll = (): Promise<readonly ResourceUse[]> =>
      Promise.all([api, slow].map((process) => process.measure()));
    const initial = await measureAll();

    const watch = watchLeases();
    const backlog = await sendMany("slow", BACKLOG);
    await vi.waitUntil(() => runningIn(slow) === CONCURRENCY);
    const behind = await sendMany("slow-behind", MEASURED);
    // Waits for three more rounds of work.
    const rounds = slow.begun.length + 3 * CONCURRENCY;
    await vi.waitUntil(() => slow.begun.length >= rounds);
    expect(await watch.stop()).toBeLessThanOrEqual(CONCURRENCY);
    expect(maxRunning(slow)).toBe(CONCURRENCY);

    expect(p99(behind)).toBeLessThan(3 * p99(quick) + 250);
    for (const [index, { heapUsed, handles }] of (await measureAll()).entries()) {
      expect(heapUsed).toBeLessThan((initial[index]?.heapUsed ?? 0) + 4 * MEGABYTE);
      expect(handles).toBeLessThan((initial[index]?.handles ?? 0) + 20);
    }

    const helper = await bench().start({ role: "worker", slowMs: 1 });
    slow.kill("SIGTERM");
    expect(await slow.exited).toBe(0);
    await bench().untilTerminal();
    await bench().expectInvariants([...quick, ...backlog, ...behind]);
    helper.kill("SIGTERM");
    await helper.exited;
  });

  /** Polls the number of leased operations. `stop` resolves to its maximum. */
  function watchLeases(): { stop(): Promise<number> } {
    let watching = true;
    const maximum = (async () => {
      let max = 0;
      while (watching) {
        max = Math.max(max, await bench().held());
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return max;
    })();
    return {
      stop: () => {
        watching = false;
        return maximum;
      },
    };
  }
});

/** Yields the number of running attempts after each event of a worker. */
function* running({ events }: OrderProcess): Iterable<number> {
  let count = 0;
  for (const { event } of events) {
    if (event === "operation.started") yield ++count;
    if (event === "operation.completed") yield --count;
  }
}

function maxRunning(worker: OrderProcess): number {
  return Math.max(...running(worker));
}

function runningIn(worker: OrderProcess): number {
  return [...running(worker)].at(-1) ?? 0;
}

function p99(orders: readonly SentOrder[]): number {
  const sorted = orders.map(({ slowestMs }) => slowestMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}
