import { expect, it } from "vitest";
import { startAll } from "./order-bench.js";
import { alternate, keysOf, newOrder, sendAll, sendOnce } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

/** No pause of a busy machine ends such a lease, so no work is repeated. */
const worker = { leaseMs: 20_000 };

describeOnEachStore("duplicates", (bench) => {
  it("of announcements run the work once per operation (F7)", async () => {
    const api = await bench().start({ role: "api" });
    const sent = await sendAll(keysOf("announced", 300), () => api.baseUrl);
    await announceAgain(5);
    await startAll(bench(), ["worker", "worker", "worker"], { worker });
    await announceAgain(5);
    await bench().expectCompleted(sent);
    expect(await bench().effects()).toHaveLength(300);
  });

  it("of requests, sent to several processes at once, create one operation per key (F13)", async () => {
    const anyApi = alternate(await startAll(bench(), ["api", "api", "api", "api"]));
    const storms = keysOf("storm", 40).map((key) => ({ key, one: newOrder(key), other: newOrder(key) }));
    const requests = storms.flatMap(({ one, other, key }) =>
      Array.from({ length: 48 }, (_, index) =>
        index % 8 < 6 ? sendOnce(one, anyApi()) : sendOnce(other, anyApi(), { itemId: `${key}-other` }),
      ),
    );
    await Promise.all(requests);
    for (const { one, other } of storms) {
      const [winner, loser] = one.operationIds.size > 0 ? [one, other] : [other, one];
      expect([winner.operationIds.size, loser.operationIds.size]).toEqual([1, 0]);
      // 409 means that the first submission is still in progress.
      expect(winner.statuses.filter((status) => status !== 202 && status !== 409)).toEqual([]);
      expect(loser.statuses.filter((status) => status !== 422 && status !== 409)).toEqual([]);
    }
    await bench().expectCompleted(storms.map(({ one, other }) => (one.operationIds.size > 0 ? one : other)));
  });

  /** Publishes further announcements of every operation. */
  async function announceAgain(times: number): Promise<void> {
    const operations = await bench().operations();
    const rings = operations.map(({ id, definition }) => ({ operationId: id, definition }));
    for (let time = 0; time < times; time += 1) await bench().publish(rings);
  }
});
