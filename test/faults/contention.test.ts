import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { describeWithPostgres } from "../servers/postgres-installation.js";
import { alternate, keysOf, newOrder, sendAll, sendOnce } from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a Postgres in which transactions collide (F12)", (installation) => {
  const bench = useFaultBench(installation, { settings: { deadlock_timeout: "50ms" } });

  it.each(["serializable", "repeatable\\ read"])(
    "by default isolation %s: no request is answered with 500, and everything completes",
    async (isolation) => {
      const pool = { options: `-c default_transaction_isolation=${isolation}` };
      const apis = await Promise.all(["a", "b"].map(() => bench().start({ role: "api", pool })));
      const workers = await Promise.all(["a", "b", "c"].map(() => bench().start({ role: "worker", pool })));
      const keys = keysOf(isolation.slice(0, 4), 150);
      const [forwards, backwards] = await Promise.all(
        // Crosswise: in two processes, from both ends.
        [keys, keys.toReversed()].map((some) =>
          sendAll(some, alternate(apis.map(({ baseUrl }) => baseUrl)), { clients: 32 }),
        ),
      );
      await bench().settled();
      const sent = [...(forwards ?? []), ...(backwards ?? [])];
      await bench().expectInvariants(sent);
      // What collided was tried again where it happened: neither a client nor the log hears of it.
      expect(sent.flatMap(({ statuses }) => statuses).filter((status) => status !== 202)).toEqual([]);
      const events = [...apis, ...workers].flatMap((process) => process.events);
      expect(events.filter(({ event }) => event === "background.failed")).toEqual([]);
      for (const process of [...apis, ...workers]) process.kill("SIGKILL");
      await Promise.all([...apis, ...workers].map(({ exited }) => exited));
    },
  );

  it("by locks that outlast lock_timeout: requests are told to come again, and go on afterwards", async () => {
    const pool = { options: "-c lock_timeout=200ms" };
    const [api] = await Promise.all([
      bench().start({ role: "api", pool }),
      bench().start({ role: "worker", pool }),
    ]);
    const unlock = await lockEverything();
    const order = newOrder("locked");
    expect([409, 503]).toContain(await sendOnce(order, api.baseUrl));
    expect(order.blind).toBe(0);
    await unlock();
    const sent = await sendAll(["locked", ...keysOf("after", 20)], () => api.baseUrl);
    await bench().settled();
    await bench().expectInvariants(sent);
  });

  /** Locks all tables of the back end, until the returned function is called. */
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
