import { expect, it } from "vitest";
import { alternate, keysOf, newOrder, sendAll, sendOnce } from "./orders.js";
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
        const apis = await Promise.all(["a", "b"].map(() => bench().start({ role: "api", pool })));
        const workers = await Promise.all(["a", "b", "c"].map(() => bench().start({ role: "worker", pool })));
        const keys = keysOf(isolation.slice(0, 4), 150);
        const [forwards, backwards] = await Promise.all(
          // Two processes send the same keys in opposite order.
          [keys, keys.toReversed()].map((some) =>
            sendAll(some, alternate(apis.map(({ baseUrl }) => baseUrl)), { clients: 32 }),
          ),
        );
        await bench().untilTerminal();
        const sent = [...(forwards ?? []), ...(backwards ?? [])];
        await bench().expectInvariants(sent);
        // Collisions are retried inside the back end, so neither clients nor the log see them.
        expect(sent.flatMap(({ statuses }) => statuses).filter((status) => status !== 202)).toEqual([]);
        const events = [...apis, ...workers].flatMap((process) => process.events);
        expect(events.filter(({ event }) => event === "background.failed")).toEqual([]);
        for (const process of [...apis, ...workers]) process.kill("SIGKILL");
        await Promise.all([...apis, ...workers].map(({ exited }) => exited));
      },
    );

    it("tells clients to retry while a lock outlasts the limit for locks, and recovers afterwards", async () => {
      const limits = { pool: { options: "-c lock_timeout=200ms" }, sqlite: { lockTimeoutMs: 200 } };
      const [api] = await Promise.all([
        bench().start({ role: "api", ...limits }),
        bench().start({ role: "worker", ...limits }),
      ]);
      const unlock = await bench().lock();
      const order = newOrder("locked");
      expect([409, 503]).toContain(await sendOnce(order, api.baseUrl));
      expect(order.missingRetryAfter).toBe(0);
      await unlock();
      const sent = await sendAll(["locked", ...keysOf("after", 20)], () => api.baseUrl);
      await bench().untilTerminal();
      await bench().expectInvariants(sent);
    });
  },
  { settings: { deadlock_timeout: "50ms" } },
);
