import { expect, it } from "vitest";
import { startAll } from "./order-bench.js";
import { newOrder, sendOnce } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

/** One reply as its client saw it. Times are those of `performance.now()`. */
interface Seen {
  readonly operationId: string;
  readonly begunAt: number;
  readonly endedAt: number;
}

describeOnEachStore("a key whose operations are purged repeatedly (F14)", (bench) => {
  it("belongs to one operation at a time, and no operation reappears after its purge", async () => {
    const options = { definition: { retentionMs: 1_000 }, worker: { sweepIntervalMs: 10 } };
    const processes = await startAll(bench(), ["all", "all"], options);
    const end = performance.now() + 8_000;
    const seen = (
      await Promise.all(processes.flatMap(({ baseUrl }) => [1, 2, 3, 4].map(() => hammer(baseUrl, end))))
    ).flat();
    const ids = [...new Set(seen.map(({ operationId }) => operationId))];
    expect(ids.length).toBeGreaterThan(3);
    expect(staleReplies(seen)).toEqual([]);
    await bench().untilTerminal();
    expect((await bench().effects()).map(({ operationId }) => operationId).sort()).toEqual(ids.sort());
  });
});

async function hammer(baseUrl: string, end: number): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  while (performance.now() < end) {
    const order = newOrder("key");
    const begunAt = performance.now();
    expect(await sendOnce(order, baseUrl)).toBe(202);
    for (const operationId of order.operationIds)
      seen.push({ operationId, begunAt, endedAt: performance.now() });
  }
  return seen;
}

/** Returns replies that name an operation although the key had already moved to the next one when the request began. */
function staleReplies(seen: readonly Seen[]): readonly Seen[] {
  const firstSeen = new Map<string, number>();
  for (const { operationId, endedAt } of seen)
    firstSeen.set(operationId, Math.min(endedAt, firstSeen.get(operationId) ?? Number.POSITIVE_INFINITY));
  const inOrder = [...firstSeen].sort(([, a], [, b]) => a - b).map(([operationId]) => operationId);
  return seen.filter(({ operationId, begunAt }) => {
    const next = inOrder[inOrder.indexOf(operationId) + 1];
    return next !== undefined && (firstSeen.get(next) ?? 0) < begunAt;
  });
}
