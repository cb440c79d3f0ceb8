import { expect, it } from "vitest";
import { startAll } from "./order-bench.js";
import { countEvents, killAll } from "./order-processes.js";
import { alternate, keysOf, newOrder, sendAll, sendOnce, statusesOf } from "./orders.js";
import { describeOnEachStore } from "./use-fault-bench.js";

/** Isolation levels of the transactions. SQLite has only one. */
const LEVELS = { Postgres: ["serializable", "repeatable\\ read"], SQLite: ["serializable"] };

describeOnEachStore(
  "a store with colliding transactions (F12)",
  (bench, store) => {
    it.each(LEVELS[store])(
      "answers no request with 500 and completes all work at default isolation %s",
      async (isolation) => {
        const pool = { options: `-c default_transaction_isolation=${isolation}` };
        const [one, other, ...workers] = await startAll(
          bench(),
          ["api", "api", "worker", "worker", "worker"],
          { pool },
        );
        const apis = [one, other];
        const keys = keysOf(isolation.slice(0, 4), 150);
        const [forwards, backwards] = await Promise.all(
          // Two processes send the same keys in opposite order.
          [keys, keys.toReversed()].map((some) => sendAll(some, alternate(apis), { clients: 32 })),
        );
        const sent = [...(forwards ?? []), ...(backwards ?? [])];
        await bench().expectCompleted(sent);
        // Collisions are retried inside the back end, so neither clients nor the log see them.
        expect(statusesOf(sent)).toEqual(new Set([202]));
        expect(countEvents("background.failed", [...apis, ...workers])).toBe(0);
        await killAll([...apis, ...workers]);
      },
    );

    it("tells clients to retry while a lock outlasts the limit for locks, and recovers afterwards", async () => {
      const limits = { pool: { options: "-c lock_timeout=200ms" }, sqlite: { lockTimeoutMs: 200 } };
      const [api] = await startAll(bench(), ["api", "worker"], limits);
      const unlock = await bench().lock();
      const order = newOrder("locked");
      expect([409, 503]).toContain(await sendOnce(order, api.baseUrl));
      expect(order.missingRetryAfter).toBe(0);
      await unlock();
      const sent = await sendAll(["locked", ...keysOf("after", 20)], () => api.baseUrl);
      await bench().expectCompleted(sent);
    });
  },
  { settings: { deadlock_timeout: "50ms" } },
);
