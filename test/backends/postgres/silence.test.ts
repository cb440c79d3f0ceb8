import { createPostgresBackend } from "async-request-reply/postgres";
import type { PoolConfig } from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { describePostgres, openPoolAt, portOfServer, type Server } from "../../support/postgres/server.js";
import { startTcpProxy } from "../../support/tcp-proxy.js";
import { poolOf } from "./pool-of.js";
import { newId, newOperation, newSubmission, newToken, openMigrated } from "./submissions.js";
import { openTestPool } from "./test-pool.js";

/** Longer than any test. */
const NEVER_MS = 600_000;
const UNAVAILABLE = { code: "STORE_UNAVAILABLE" };

const submission = () => newSubmission({ key: newToken() });

const fails = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    () => true,
  );

/** Opens a back end behind a proxy, and one that reaches the same schema directly. */
async function proxied(
  server: Server,
  options: Parameters<Server["open"]>[0] = {},
  poolOptions: PoolConfig = {},
) {
  const schema = server.newSchema();
  const direct = await openMigrated(server, { schema });
  const proxy = await startTcpProxy(portOfServer());
  const pool = openPoolAt(proxy.port, { connectionTimeoutMillis: 1_000, ...poolOptions });
  pool.on("error", () => {});
  const backend = server.open({ schema, pool, ...options });
  onTestFinished(async () => {
    await backend.close();
    await proxy.close();
    await pool.end();
  });
  return { backend, direct, proxy, pool };
}

/**
 * Repeats a call until the returned function is called, whether the calls succeed or fail. That function returns the
 * longest duration.
 */
function keepCalling(call: () => Promise<unknown>): () => Promise<number> {
  let stopped = false;
  let longestMs = 0;
  const loop = async () => {
    while (!stopped) {
      const begun = performance.now();
      await call().catch((error: unknown) => expect(error).toMatchObject(UNAVAILABLE));
      longestMs = Math.max(longestMs, performance.now() - begun);
    }
  };
  const loops = Promise.all(Array.from({ length: 20 }, loop));
  return async () => {
    stopped = true;
    await loops;
    return longestMs;
  };
}

await describePostgres("a Postgres back end whose network drops every packet", (server) => {
  it("reports the outage in time, loses nothing that it has confirmed, and recovers", async () => {
    const { backend, direct, proxy } = await proxied(server, { statementTimeoutMs: 400 }, { max: 4 });
    const confirmed: string[] = [];
    const stop = keepCalling(async () => {
      const given = submission();
      await backend.submissions.record(given);
      confirmed.push(given.operation.id);
      expect((await backend.operations.get(given.operation.id, "a"))?.state).toBe("pending");
    });
    await vi.waitUntil(() => confirmed.length > 100);
    await proxy.set({ does: "drop" });
    const refused = () => fails(backend.operations.get(newId(), "a"));
    await vi.waitUntil(refused);
    await vi.waitUntil(refused);
    await proxy.set({ does: "pass" });
    const before = confirmed.length;
    await vi.waitUntil(() => confirmed.length > before + 100);
    expect(await stop()).toBeLessThan(10_000);
    const kept = await direct.operations.list({ limit: 100_000 });
    const ids = new Set(kept?.map(({ id }) => id));
    expect(confirmed.filter((id) => !ids.has(id))).toEqual([]);
  });

  it("reads while connections that record hang", async () => {
    const { backend, direct, proxy } = await proxied(server, { statementTimeoutMs: NEVER_MS }, { max: 4 });
    const known = newOperation();
    await direct.operations.create(known);
    // One answer arrives before, so that only the next packets are lost.
    await backend.operations.get(known.id, "a");
    await backend.submissions.record(submission());
    await proxy.set({ does: "drop" });
    const hanging = [1, 2].map(() => backend.submissions.record(submission()));
    for (const each of hanging) each.catch(() => {});
    await vi.waitUntil(() => proxy.droppedBytes() > 0);
    await proxy.set({ does: "pass" });
    for (let count = 0; count < 10; count += 1) {
      expect((await backend.operations.get(known.id, "a"))?.id).toBe(known.id);
    }
  });

  it("releases its two flushes and ends their connections", async () => {
    const options = { statementTimeoutMs: 1_000, maxInFlight: 2, maxBatch: 1 };
    const { backend, proxy, pool } = await proxied(server, options, { max: 2 });
    await Promise.all([1, 2].map(() => backend.submissions.record(submission())));
    await proxy.set({ does: "drop" });
    const hanging = await Promise.allSettled([1, 2].map(() => backend.submissions.record(submission())));
    for (const each of hanging) expect(each).toMatchObject({ status: "rejected", reason: UNAVAILABLE });
    await vi.waitUntil(() => pool.totalCount === 0);
    await proxy.set({ does: "pass" });
    expect(await backend.submissions.record(submission())).toEqual({ outcome: "created" });
  });

  it("waits for a connection no longer than for an answer, and releases late connections unused", async () => {
    const pool = openTestPool({ max: 1, connectionTimeoutMillis: 0 });
    const backend = await openMigrated(server, { pool, statementTimeoutMs: 1_000 });
    const kept = [submission(), submission()] as const;
    expect(await backend.submissions.record(kept[0])).toEqual({ outcome: "created" });
    const held = await pool.connect();
    await expect(backend.submissions.record(submission())).rejects.toMatchObject(UNAVAILABLE);
    await expect(backend.operations.get(newId(), "a")).rejects.toMatchObject(UNAVAILABLE);
    held.release();
    await vi.waitUntil(() => pool.idleCount === 1 && pool.waitingCount === 0);
    expect(await backend.submissions.record(kept[1])).toEqual({ outcome: "created" });
    const listed = await backend.operations.list({ limit: 10 });
    expect(new Set(listed?.map(({ id }) => id))).toEqual(new Set(kept.map(({ operation: { id } }) => id)));
  });

  it("answers in time if it never could connect, with a pool without a time limit, and works once it can", async () => {
    const { backend, proxy } = await proxied(
      server,
      { statementTimeoutMs: 200 },
      { connectionTimeoutMillis: 0, max: 2 },
    );
    await proxy.set({ does: "drop" });
    for (let count = 0; count < 3; count += 1) {
      await expect(backend.submissions.record(submission())).rejects.toMatchObject(UNAVAILABLE);
    }
    await proxy.set({ does: "refuse" });
    await proxy.set({ does: "pass" });
    await vi.waitUntil(async () => !(await fails(backend.submissions.record(submission()))));
  });
});

await describePostgres("a listening connection whose network drops every packet", (server) => {
  /**
   * Opens a back end that listens through a proxy and uses no proxy otherwise. It is notified of an operation before
   * the network stops.
   */
  async function silenced(): Promise<() => Promise<boolean>> {
    const schema = server.newSchema();
    const direct = await openMigrated(server, { schema });
    const proxy = await startTcpProxy(portOfServer());
    const first = openPoolAt(proxy.port, { max: 1 });
    first.on("error", () => {});
    let connections = 0;
    const pool = poolOf(() => (connections++ === 0 ? first : server.pool).connect());
    const backend = createPostgresBackend({
      pool,
      schema,
      migrate: "manual",
      statementTimeoutMs: 500,
      pollIntervalMs: NEVER_MS,
    });
    onTestFinished(async () => {
      await backend.close();
      await proxy.close();
      await first.end();
    });
    const told = new Set<string>();
    backend.operations.watch?.((id) => void told.add(String(id)));
    const isToldOfAnother = async (): Promise<boolean> => {
      const another = newOperation();
      await direct.operations.create(another);
      await direct.operations.requestCancel(another.id, "a");
      return told.size > 0;
    };
    await vi.waitUntil(isToldOfAnother);
    await proxy.set({ does: "drop" });
    told.clear();
    return isToldOfAnother;
  }

  it("is noticed and replaced", async () => {
    const isToldOfAnother = await silenced();
    await expect(vi.waitUntil(isToldOfAnother)).resolves.toBe(true);
  });
});
