import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { alternate, keysOf, newOrder, sendAll, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a Postgres with colliding transactions (F12)", (installation) => {
  const bench = useFaultBench(installation, { settings: { deadlock_timeout: "50ms" } });

  it.each(["serializable", "repeatable\\ read"])(
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

  it("tells clients to retry while a lock outlasts lock_timeout, and recovers afterwards", async () => {
    const pool = { options: "-c lock_timeout=200ms" };
    const [api] = await Promise.all([
      bench().start({ role: "api", pool }),
      bench().start({ role: "worker", pool }),
    ]);
    const unlock = await lockEverything();
    const order = newOrder("locked");
    expect([409, 503]).toContain(await sendOnce(order, api.baseUrl));
    expect(order.missingRetryAfter).toBe(0);
    await unlock();
    const sent = await sendAll(["locked", ...keysOf("after", 20)], () => api.baseUrl);
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
  });

  /** Locks all tables of the back end. Returns a function that unlocks them. */
  async function lockEverything(): Promise<() => Promise<void>> {
    const tables = await bench().postgres.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename NOT IN ('ledger', 'effects')`,
    );
    const client = new Client({ connectionString: bench().postgres.url() });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("BEGIN");
    await client.query(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")} IN ACCESS EXCLUSIVE MODE`);
    return async () => void (await client.query("COMMIT"));
  }
});
