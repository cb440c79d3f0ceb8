import { createOrderService, createWorker } from "async-request-reply";
import type { NewOperation } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { expect, it } from "vitest";
import { announce } from "../../../src/ports/announcement.js";
import { createSystemRuntime } from "../../../src/ports/system-runtime.js";
import { receiveOnce } from "../../support/consumers.js";
import { describePostgres, openPool } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";

const { newId, newToken } = createSystemRuntime();
/** Longer than any test, so that polling finds nothing. */
const NEVER_MS = 600_000;

function operation(definition = "orders"): NewOperation {
  return { id: newId(), tenant: "a", definition, input: "1", retentionMs: 60_000 };
}

await describePostgres("the queue in Postgres", (server) => {
  it("wakes a waiting receiver of another process without polling", async () => {
    const schema = server.newSchema();
    const [here, there] = [server.open({ schema }), server.open({ schema, pollIntervalMs: NEVER_MS })];
    const received = receiveOnce(there.queue, { signal: new AbortController().signal });
    const wanted = operation();
    await here.operations.create(wanted);
    await here.queue.publish([announce(wanted, newToken())]);
    expect((await received).map(({ announcement }) => announcement.operationId)).toEqual([wanted.id]);
    await there.close();
  });

  it("delivers preparing operations only to workers that create", async () => {
    const { operations, queue } = server.open();
    const wanted = operation();
    await operations.create(wanted, { state: "preparing", token: newToken(), leaseMs: 1 });
    const consumers = [false, true].map((creates) =>
      queue.consume({ definitions: [{ name: "orders", concurrency: 1, leaseMs: 60_000, creates }] }),
    );
    const slots = new Map([["orders", 1]]);
    const receive = async (consumer = consumers[0]) =>
      consumer?.receive({ slots, limit: 1, token: newToken(), signal: AbortSignal.abort() });
    await expect.poll(async () => (await operations.list?.({ internal: true, limit: 1 }))?.length).toBe(1);
    await expect
      .poll(() => receive(consumers[1]))
      .toMatchObject([{ announcement: { operationId: wanted.id } }]);
    const other = operation();
    await operations.create(other, { state: "preparing", token: newToken(), leaseMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 2));
    expect(await receive(consumers[0])).toEqual([]);
    expect(await receive(consumers[1])).toMatchObject([{ announcement: { operationId: other.id } }]);
  });

  it("does not begin an operation again if a call arrives after its repetition", async () => {
    const { operations, queue } = server.open();
    const wanted = operation();
    await operations.create(wanted);
    const slots = new Map([["orders", 1]]);
    // Each consumer takes the token for that of a first call.
    const receive = (token: string) =>
      queue
        .consume({ definitions: [{ name: "orders", concurrency: 1, leaseMs: 20 }] })
        .receive({ slots, limit: 1, token, signal: AbortSignal.abort() });
    const token = newToken();
    expect(await receive(token)).toMatchObject([{ attempt: { begun: { operation: { attempt: 1 } } } }]);
    const due = async () => (await operations.stats?.({ definitions: ["orders"] }))?.[0]?.due.count;
    await expect.poll(due).toBe(1);
    expect(await receive(token)).toEqual([]);
    expect(await receive(newToken())).toMatchObject([{ attempt: { begun: { operation: { attempt: 2 } } } }]);
  });

  /** Opens a back end that listens, with a waiting receiver, and another on the same schema. */
  async function waiting({ notifies = true, listen = true } = {}) {
    let looks = 0;
    const pool = interceptStatements(server.pool, (statement, run) => {
      if (/^select .*pg_notify/s.test(statement.text) && !notifies)
        return Promise.reject(new Error("not now"));
      if (!/^select .*claim_v1/.test(statement.text)) return run();
      // Counted at its end: what is created before then may be found.
      return run().finally(() => {
        looks += 1;
      });
    });
    const schema = server.newSchema();
    const here = createPostgresBackend({ pool, schema, listen, pollIntervalMs: NEVER_MS });
    const there = server.open({ schema });
    await there.migrate();
    const received = receiveOnce(here.queue, { signal: new AbortController().signal });
    const publish = ({ queue }: Pick<typeof here, "queue">) =>
      queue.publish([announce(operation(), newToken())]);
    // Once at first, and once more when it listens.
    await expect.poll(() => looks).toBe(listen ? 2 : 1);
    return { here, there, schema, received, publish, looks: () => looks };
  }

  it("wakes a receiver of the same process when the database refuses notifications", async () => {
    const { here, received, publish } = await waiting({ notifies: false });
    await here.operations.create(operation());
    await expect(publish(here)).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    expect(await received).toHaveLength(1);
    await here.close();
  });

  it("wakes a receiver of the same process also without the right to listen", async () => {
    const { here, received, publish } = await waiting({ listen: false });
    await here.operations.create(operation());
    await publish(here);
    expect(await received).toHaveLength(1);
    await here.close();
  });

  it("looks once for announcements of the same process, and not again when the database reports them", async () => {
    const { here, there, received, publish, looks } = await waiting();
    await publish(here);
    await expect.poll(looks).toBe(3);
    await publish(there);
    await expect.poll(looks).toBe(4);
    await there.operations.create(operation());
    await publish(there);
    await received;
    expect(looks()).toBe(5);
    await here.close();
  });

  it.each(["", "orders", "[]", '{"definitions":"orders"}', "null", '{"from":7}'])(
    "treats the message %j, which any role may have sent, as a wake-up for all receivers",
    async (message) => {
      const { here, there, schema, received } = await waiting();
      await there.operations.create(operation());
      await server.pool.query("select pg_notify($1, $2)", [`arr_${schema}`, message]);
      expect(await received).toHaveLength(1);
      await here.close();
    },
  );

  it("listens again when the server has ended its connection, and finds what it missed", async () => {
    const pool = openPool({ application_name: "to be ended once" });
    pool.on("error", () => {});
    const backend = server.open({ pool, pollIntervalMs: NEVER_MS });
    await backend.migrate();
    const receive = () => receiveOnce(backend.queue, { signal: new AbortController().signal });
    const first = receive();
    const listening = `select pid from pg_stat_activity where application_name = 'to be ended once' and query like 'listen%'`;
    await expect.poll(async () => (await server.pool.query(listening)).rowCount).toBe(1);
    await backend.operations.create(operation());
    await server.pool.query(listening.replace("select pid", "select pg_terminate_backend(pid)"));
    expect(await first).toHaveLength(1);
    await backend.close();
    await pool.end();
  });

  it("finds unannounced operations by polling, also without the right to listen", async () => {
    const backend = server.open({ listen: false, pollIntervalMs: 20 });
    const received = receiveOnce(backend.queue, { signal: new AbortController().signal });
    await backend.operations.create(operation());
    expect(await received).toHaveLength(1);
  });

  it("leaves no listeners on the signal of a worker that waits repeatedly", async () => {
    const backend = server.open({ listen: false, pollIntervalMs: 5 });
    const { signal } = new AbortController();
    const counted = { most: 0, now: 0 };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counted.now += 1;
      counted.most = Math.max(counted.most, counted.now);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counted.now -= 1;
      remove(...args);
    };
    const received = receiveOnce(backend.queue, { signal });
    await server.pool.query("select pg_sleep(0.2)");
    await backend.operations.create(operation());
    expect(await received).toHaveLength(1);
    expect(counted).toEqual({ most: 1, now: 0 });
  });

  it("gives each definition its share and the unused shares of the others", async () => {
    const backend = server.open();
    for (let count = 0; count < 20; count += 1) await backend.operations.create(operation("long"));
    for (const definition of ["short", "short", "single"])
      await backend.operations.create(operation(definition));
    const definitions = ["long", "short", "single"];
    const received = await receiveOnce(backend.queue, { definitions, limit: 9 });
    const names = received.map(({ announcement }) => announcement.definition).sort();
    expect(names).toEqual([...Array<string>(6).fill("long"), "short", "short", "single"]);
  });

  it("gives each definition a turn if there is one free slot", async () => {
    const backend = server.open();
    for (let count = 0; count < 5; count += 1) await backend.operations.create(operation("long"));
    await backend.operations.create(operation("short"));
    const received = [];
    const definitions = ["long", "short"].map((name) => ({ name, concurrency: 1, leaseMs: 60_000 }));
    const consumer = backend.queue.consume({ definitions });
    const slots = new Map(definitions.map(({ name }) => [name, 1]));
    for (const token of [newToken(), newToken()])
      received.push(...(await consumer.receive({ slots, limit: 1, token, signal: AbortSignal.abort() })));
    expect(received.map(({ announcement }) => announcement.definition)).toContain("short");
  });

  it("ends operations with a requested cancellation when their worker is gone", async () => {
    const backend = server.open();
    const service = createOrderService({ backend, authorize: () => ({ id: "a" }) });
    const cancelled = operation();
    await backend.operations.create(cancelled);
    await backend.operations.beginAttempt(cancelled.id, { token: newToken(), leaseMs: 60_000 });
    expect(await backend.operations.requestCancel(cancelled.id, "a")).toBe("requested");
    await server.pool.query(`update ${backend.schema}.operations set due_at = now()`);
    await createWorker(service, { orders: () => undefined }).runUntilIdle();
    expect((await backend.operations.get(cancelled.id, "a"))?.state).toBe("failed");
  });
});
