import { createOrderService, createWorker } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { claimOnce, claimOnRing } from "../../support/claims.js";
import { describePostgres } from "../../support/postgres/server.js";
import { CLAIM, interceptStatements } from "./intercepted-statements.js";
import { begun, newOperation, openMigrated } from "./submissions.js";
import { openTestPool } from "./test-pool.js";

/** Longer than any test, so that polling finds nothing. */
const NEVER_MS = 600_000;

await describePostgres("the queue in Postgres", (server) => {
  it("wakes a waiting worker of another process without polling", async () => {
    const schema = server.newSchema();
    const [here, there] = [server.open({ schema }), server.open({ schema, pollIntervalMs: NEVER_MS })];
    const claimed = claimOnRing(there);
    const wanted = newOperation();
    await here.operations.create(wanted);
    await here.queue.publish([{ definition: "orders", operationId: wanted.id }]);
    expect(await claimed).toMatchObject([{ id: wanted.id }]);
    await there.close();
  });

  /** Opens a back end that listens, with a waiting worker, and another on the same schema. */
  async function waiting({ notifies = true, listen = true } = {}) {
    let looks = 0;
    const pool = interceptStatements(server.pool, (statement, run) => {
      if (/^select .*pg_notify/s.test(statement.text) && !notifies)
        return Promise.reject(new Error("not now"));
      if (!CLAIM.test(statement.text)) return run();
      // Counted at its end: what is created before then may be found.
      return run().finally(() => {
        looks += 1;
      });
    });
    const schema = server.newSchema();
    const here = createPostgresBackend({ pool, schema, listen, pollIntervalMs: NEVER_MS });
    const there = await openMigrated(server, { schema });
    const claimed = claimOnRing(here);
    const publish = ({ queue }: Pick<typeof here, "queue">) => queue.publish([{ definition: "orders" }]);
    // Once at first, and once more when it listens.
    await expect.poll(() => looks).toBe(listen ? 2 : 1);
    return { here, there, schema, claimed, publish, looks: () => looks };
  }

  it("wakes a worker of the same process when the database refuses notifications, and reports it without one", async () => {
    const { here, claimed, publish } = await waiting({ notifies: false });
    await here.operations.create(newOperation());
    await publish(here);
    expect(await claimed).toHaveLength(1);
    await expect(publish(here)).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    await here.close();
  });

  it("wakes a worker of the same process also without the right to listen", async () => {
    const { here, claimed, publish } = await waiting({ listen: false });
    await here.operations.create(newOperation());
    await publish(here);
    expect(await claimed).toHaveLength(1);
    await here.close();
  });

  it("looks once for rings of the same process, and not again when the database reports them", async () => {
    const { here, there, claimed, publish, looks } = await waiting();
    await publish(here);
    await expect.poll(looks).toBe(3);
    await publish(there);
    await expect.poll(looks).toBe(4);
    await there.operations.create(newOperation());
    await publish(there);
    await claimed;
    expect(looks()).toBe(5);
    await here.close();
  });

  it.each(["", "orders", "[]", '{"definitions":"orders"}', "null", '{"from":7}'])(
    "treats the message %j, which any role may have sent, as a ring for all workers",
    async (message) => {
      const { here, there, schema, claimed } = await waiting();
      await there.operations.create(newOperation());
      await server.pool.query("select pg_notify($1, $2)", [`arr_${schema}`, message]);
      expect(await claimed).toHaveLength(1);
      await here.close();
    },
  );

  it("listens again when the server has ended its connection, and finds what it missed", async () => {
    const pool = openTestPool({ application_name: "to be ended once" });
    const backend = await openMigrated(server, { pool, pollIntervalMs: NEVER_MS });
    const claimed = claimOnRing(backend);
    const listening = `select pid from pg_stat_activity where application_name = 'to be ended once' and query like 'listen%'`;
    await expect.poll(async () => (await server.pool.query(listening)).rowCount).toBe(1);
    await backend.operations.create(newOperation());
    await server.pool.query(listening.replace("select pid", "select pg_terminate_backend(pid)"));
    expect(await claimed).toHaveLength(1);
    await backend.close();
  });

  it("finds operations without rings by polling, without the right to listen", async () => {
    const backend = server.open({ listen: false, pollIntervalMs: 20 });
    const claimed = claimOnRing(backend);
    await backend.operations.create(newOperation());
    expect(await claimed).toHaveLength(1);
  });

  it("gives each definition its share and the unused shares of the others", async () => {
    const backend = server.open();
    for (let count = 0; count < 20; count += 1)
      await backend.operations.create(newOperation({ definition: "long" }));
    for (const definition of ["short", "short", "single"])
      await backend.operations.create(newOperation({ definition }));
    const definitions = ["long", "short", "single"];
    const begun = await claimOnce(backend, { definitions, limit: 9 });
    const names = begun.map(({ definition }) => definition).sort();
    expect(names).toEqual([...Array<string>(6).fill("long"), "short", "short", "single"]);
  });

  it("ends operations with a requested cancellation when their worker is gone", async () => {
    const backend = server.open();
    const service = createOrderService({ backend, authorize: () => ({ id: "a" }) });
    const { operationId } = await begun(backend);
    expect(await backend.operations.requestCancel(operationId, "a")).toBe("requested");
    await server.pool.query(`update ${backend.schema}.operations set due_at = now()`);
    await createWorker(service, { orders: () => undefined }).runUntilIdle();
    expect((await backend.operations.get(operationId, "a"))?.state).toBe("failed");
  });
});
