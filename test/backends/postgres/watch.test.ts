import { setTimeout as pause } from "node:timers/promises";
import { allowAnonymous, createOrderService, createWorker } from "async-request-reply";
import type { Lease } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createManualClock } from "async-request-reply/testing";
import { Client, type ClientConfig } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { type Channels, createChanges } from "../../../src/backends/postgres/notices/channels.js";
import { createGate } from "../../support/adapter-suite/fixtures/gate.js";
import { watchReads } from "../../support/adapter-suite/fixtures/reads.js";
import { claimOnce, claimOne, claimOnRing } from "../../support/claims.js";
import { describePostgres, type Opened } from "../../support/postgres/server.js";
import { interceptStatements } from "./intercepted-statements.js";
import { begun, newId, newOperation, newToken, openMigrated } from "./submissions.js";
import { openTestPool } from "./test-pool.js";

/** Collects the ids that a back end reports from now on, like one of another process. */
function watched({ operations }: Opened) {
  const told = new Set<string>();
  const stop = operations.watch?.((id) => void (id !== undefined && told.add(id)));
  return { told, stop };
}

async function settled(backend: Pick<Opened, "operations">) {
  const lease = await begun(backend);
  await backend.operations.settle(lease, { to: "completed" });
  return lease.operationId;
}

/** Ends operations until the watcher reports one. Before it listens it reports nothing. */
async function listening(told: ReadonlySet<string>, by: Opened) {
  await expect.poll(async () => told.has(await settled(by)) || told.size > 0).toBe(true);
}

/** Waits for an operation in one process. Another one completes it, and `then` runs. Returns the body of the reply. */
async function waitedReply(here: Opened, there: Opened, then = async () => {}) {
  const { backend, read } = watchReads(here, "get");
  const authorize = allowAnonymous();
  // The hub polls by this clock, which stands still.
  const waiting = createOrderService({ backend, authorize, runtime: { clock: createManualClock() } });
  const working = createOrderService({ backend: there, authorize });
  const order = { itemId: "pen", quantity: 2 };
  const { operationId } = await waiting.submit(waiting.definitions[0], order, { tenant: "anonymous" });
  const headers = { prefer: "wait=20" };
  const reply = waiting.handle({ method: "GET", path: `/operations/${operationId}`, headers });
  await read;
  await createWorker(working, { orders: () => "done" }).runUntilIdle();
  await then();
  const { body } = await reply;
  await Promise.all([waiting.close(), working.close()]);
  return JSON.parse(body as string) as unknown;
}

await describePostgres("watching operations in Postgres", (server) => {
  type Options = Parameters<typeof server.open>[0];

  /** Opens the back ends of two processes. */
  function twoProcesses(ofHere: Options = {}, ofThere: Options = {}) {
    const schema = server.newSchema();
    const [here, there] = [server.open({ ...ofHere, schema }), server.open({ ...ofThere, schema })];
    onTestFinished(() => there.close());
    return { schema, here, there };
  }

  /** Opens two processes, of which the second one watches the first one. */
  async function watching(ofThere: Options = {}) {
    const { schema, here, there } = twoProcesses({}, ofThere);
    const { told, stop } = watched(there);
    await listening(told, here);
    return { schema, here, there, told, stop };
  }

  it("reports operations that end in another process, with any outcome", async () => {
    const { here, told, stop } = await watching();
    const ids = [await settled(here)];
    const failed = await begun(here);
    await here.operations.settle(failed, { to: "failed", error: "{}" });
    const cancelled = newOperation();
    await here.operations.create(cancelled);
    await here.operations.requestCancel(cancelled.id, "a");
    const shared = await begun(here);
    await here.submissions.transactions?.settle(shared, async () => ({ to: "completed" }));
    ids.push(failed.operationId, cancelled.id, shared.operationId);
    await expect.poll(() => ids.filter((id) => !told.has(id))).toEqual([]);
    stop?.();
  });

  it("reports attempts, progress and retries in another process", async () => {
    const { here, told, stop } = await watching();
    const lease = await begun(here);
    const reported = async () => {
      await expect.poll(() => told.has(lease.operationId)).toBe(true);
      told.clear();
    };
    await reported();
    await here.operations.renew(lease, { progress: "1" });
    await reported();
    await here.operations.settle(lease, { to: "retry", delayMs: 0, countAttempt: true });
    await reported();
    expect(await claimOnce(here)).toMatchObject([{ id: lease.operationId }]);
    await reported();
    stop?.();
  });

  it("has sent every notification when a process has closed its back end", async () => {
    const backend = await openMigrated(server);
    const client = await server.pool.connect();
    const messages: string[] = [];
    client.on("notification", ({ payload = "" }) => messages.push(...payload.split(" ")));
    try {
      await client.query(`listen "changed_arr_${backend.schema}"`);
      const ids = [await settled(backend), await settled(backend)];
      await backend.close();
      // The server sends notifications before the result.
      await client.query("select");
      expect(ids.filter((id) => !messages.includes(id))).toEqual([]);
    } finally {
      client.release(true);
    }
  });

  it("sends a bounded number of notifications, however many operations change and however often", async () => {
    const { schema, here, told } = await watching();
    const leases: Lease[] = [];
    for (let batch = 0; batch < 30; batch += 1)
      leases.push(...(await Promise.all(Array.from({ length: 100 }, () => begun(here)))));
    await expect.poll(() => leases.filter(({ operationId }) => !told.has(operationId))).toEqual([]);
    const listener = new Client({ ...(server.pool.options as ClientConfig) });
    await listener.connect();
    let notifications = 0;
    listener.on("notification", () => {
      notifications += 1;
    });
    await listener.query(`listen "changed_arr_${schema}"`);
    told.clear();
    const started = performance.now();
    // More changes than ids fit into one notification, and the same operations again and again.
    for (let report = 0; report < 5; report += 1)
      await Promise.all(leases.map((lease) => here.operations.renew(lease, { progress: String(report) })));
    await expect.poll(() => told.size).toBeGreaterThan(0);
    await settled(here);
    const pauses = Math.ceil((performance.now() - started) / 50) + 1;
    expect(notifications).toBeGreaterThan(0);
    // At most ten for each pause: 2,000 ids, or one that replaces more of them.
    expect(notifications).toBeLessThanOrEqual(pauses * 10);
    expect(notifications).toBeLessThan((5 * leases.length) / 50);
    await listener.end();
  });

  it("replaces the ids by one message if too many operations change at once", async () => {
    const notified: (readonly string[])[] = [];
    const channels = {
      notify: async (_: string, messages: readonly string[]) => void notified.push(messages),
    };
    const changes = createChanges({
      channels: channels as Channels,
      channel: "changed",
      pauseMs: 50,
      clock: createManualClock(),
    });
    for (let count = 0; count < 5_000; count += 1) changes.changed(newId());
    await expect.poll(() => notified).toEqual([["*"]]);
  });

  it("ends a wait in one process when a worker of another one settles, without polling", async () => {
    const { here: working, there: waiting } = await watching();
    expect(await waitedReply(waiting, working)).toMatchObject({ status: "completed", result: "done" });
  });

  it("ends a wait for an operation that ended before the process listened", async () => {
    const gate = createGate();
    const pool = interceptStatements(server.pool, (statement, run) =>
      /^listen/.test(statement.text) ? gate.pass().then(run) : run(),
    );
    const { here, there } = twoProcesses({ pool });
    const listened = async () => {
      await gate.reached;
      gate.open();
    };
    expect(await waitedReply(here, there, listened)).toMatchObject({ status: "completed", result: "done" });
  });

  it("reports any number of operations that end together", async () => {
    const { here, told } = await watching();
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => settled(here)));
    await expect.poll(() => ids.filter((id) => !told.has(id))).toEqual([]);
  });

  it("reports again after the server has ended the listening connection, which also serves workers", async () => {
    const pool = openTestPool({ application_name: "watching" });
    const { here, there, told } = await watching({ pool, pollIntervalMs: 600_000 });
    const claimed = claimOnRing(there, { definitions: ["others"] });
    const connections = "from pg_stat_activity where application_name = 'watching' and query like 'listen%'";
    const pids = async () => (await server.pool.query<{ pid: number }>(`select pid ${connections}`)).rows;
    await expect.poll(pids).toHaveLength(1);
    await server.pool.query(`select pg_terminate_backend(pid) ${connections}`);
    told.clear();
    await listening(told, here);
    await expect.poll(pids).toHaveLength(1);
    const other = newOperation({ definition: "others" });
    await here.operations.create(other);
    await here.queue.publish([{ operationId: other.id, definition: "others" }]);
    expect(await claimed).toHaveLength(1);
  });

  it("reports to its own process immediately, also without the right to listen", async () => {
    const backend = server.open({ listen: false });
    const { told } = watched(backend);
    expect(told).toContain(await settled(backend));
    const marked = await begun(backend);
    await backend.operations.requestCancel(marked.operationId, "a");
    await server.pool.query(
      `update ${backend.schema}.operations set due_at = now() where due_at is not null`,
    );
    told.clear();
    await claimOne(backend.operations, marked.operationId, { token: newToken(), leaseMs: 60_000 });
    expect(told).toContain(marked.operationId);
  });

  it("delays no settle if notifications hang", async () => {
    let hanging = 0;
    const pool = interceptStatements(server.pool, (statement, run) => {
      if (!/^select .*pg_notify/s.test(statement.text)) return run();
      hanging += 1;
      return new Promise(() => {});
    });
    const backend = createPostgresBackend({ pool, schema: server.newSchema(), statementTimeoutMs: 1_000 });
    const ids = [];
    for (let count = 0; count < 10; count += 1) ids.push(await settled(backend));
    expect(new Set(ids).size).toBe(10);
    expect(hanging).toBeGreaterThan(0);
  });

  it("accepts any message on its channel, which every role can send", async () => {
    const { schema, here, told } = await watching();
    for (const message of ["", "not an id", "x".repeat(7_000)]) {
      await server.pool.query("select pg_notify($1, $2)", [`changed_arr_${schema}`, message]);
    }
    const last = await settled(here);
    await expect.poll(() => told.has(last)).toBe(true);
    for (const id of told) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("reports nothing after it was stopped or closed", async () => {
    const schema = server.newSchema();
    const [here, there, closed] = [1, 2, 3].map(() => server.open({ schema })) as [Opened, Opened, Opened];
    const stopped = watched(there);
    const other = watched(there);
    const shut = watched(closed);
    for (const { told } of [other, shut]) await listening(told, here);
    stopped.stop?.();
    await closed.close();
    stopped.told.clear();
    shut.told.clear();
    const last = await settled(here);
    await expect.poll(() => other.told.has(last)).toBe(true);
    await pause(100);
    expect([stopped.told.size, shut.told.size]).toEqual([0, 0]);
    await there.close();
  });
});
