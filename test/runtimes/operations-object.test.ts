import { describe, expect, it } from "vitest";
import { isNight } from "../support/effort.js";
import { playKilledObjects, program } from "./killed-objects.js";
import { isSkipped, workerd } from "./matrix.js";
import { useProject } from "./project.js";
import { startServer, useServer } from "./server-process.js";
import { asTenant, type TenantClient } from "./tenant-client.js";

/** The goal is 1 s. On a busy machine, it only has to be earlier than without its own alarm, which is 7 s late. Milliseconds. */
const LATE_MS = isNight ? 1_000 : 5_000;

const project = useProject();
async function submit(client: TenantClient, path: string, body: unknown, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const reply = await client(path, { method: "POST", headers, body });
  expect(reply.status).toBe(202);
  return reply.headers.get("location") ?? "";
}

async function statusOf(client: TenantClient, path: string): Promise<Record<string, unknown>> {
  return (await (await client(path)).json()) as Record<string, unknown>;
}

const completed = (client: TenantClient, path: string): Promise<void> =>
  expect
    .poll(() => statusOf(client, path), { timeout: 30_000, interval: 100 })
    .toMatchObject({ status: "completed" });

describe.skipIf(isSkipped(workerd))("operations in Durable Objects", () => {
  const server = useServer(project, { name: "operations in objects", ...program });

  it("accepts, repeats, refuses and completes", async () => {
    const client = asTenant("ada", server);
    const path = await submit(client, "/reports", { name: "one" }, "one");
    expect(await submit(client, "/reports", { name: "one" }, "one")).toBe(path);
    const reused = { method: "POST", headers: { "idempotency-key": "one" }, body: { name: "two" } };
    expect((await client("/reports", reused)).status).toBe(422);
    await completed(client, path);
    expect(await statusOf(client, path)).toMatchObject({ result: { name: "one" } });
  });

  it("refuses what is not authorized, unknown or wrong before it wakes up an object", async () => {
    const { baseUrl } = server();
    expect((await fetch(`${baseUrl}/operations`)).status).toBe(401);
    const client = asTenant("unknown", server);
    expect((await client("/nothing")).status).toBe(404);
    expect((await client("/reports", { method: "PUT", body: {} })).status).toBe(405);
    const contents = await (await client("/test/contents")).json();
    expect(contents).toEqual({ tables: 0, alarm: null, rows: 0, alarms: 0 });
  });

  it("lets no tenant see or replace what another has, under any name", async () => {
    const names = [
      "a",
      "A",
      "a ",
      "a/b",
      "a%2Fb",
      "../a",
      "é",
      "e\u0301",
      "a\nb",
      "__proto__",
      "x".repeat(255),
    ];
    const paths = await Promise.all(
      names.map((name) => submit(asTenant(name, server), "/reports", { name: "same" }, "same")),
    );
    expect(new Set(paths).size).toBe(names.length);
    for (const [index, name] of names.entries()) {
      const client = asTenant(name, server);
      const seen = await Promise.all(paths.map(async (path) => (await client(path)).status));
      expect(seen).toEqual(names.map((_, other) => (other === index ? 200 : 404)));
      // Only the Worker says who the caller is.
      const principal = encodeURIComponent(JSON.stringify({ id: "a", tenant: names[index === 0 ? 1 : 0] }));
      const headers = { "async-request-reply-principal": principal };
      expect((await client(paths[index] ?? "", { headers })).status).toBe(200);
    }
  });

  it("waits, streams, sends output, lists and cancels", async () => {
    const client = asTenant("grace", server);
    const prefer = { prefer: "wait=20" };
    const waited = await client("/reports", {
      method: "POST",
      headers: prefer,
      body: { name: "waited", takesMs: 300 },
    });
    expect([waited.status, await waited.json()]).toMatchObject([200, { result: { name: "waited" } }]);
    const streamed = await submit(client, "/reports", { name: "streamed", takesMs: 300 });
    const events = await (await client(streamed, { headers: { accept: "text/event-stream" } })).text();
    expect(events).toContain('"completed"');
    const answer = await submit(client, "/answers", { words: ["one", "two", "three"] });
    const output = await (
      await client(`${answer}/output?offset=-1&live=sse`, { headers: { accept: "text/event-stream" } })
    ).text();
    expect(output).toMatch(/one.*two.*three/s);
    const listed = (await (await client("/operations")).json()) as { operations: { operationId: string }[] };
    expect(listed.operations.map(({ operationId }) => `/operations/${operationId}`)).toContain(answer);
    const long = await submit(client, "/reports", { name: "long", takesMs: 20_000 });
    expect((await client(long, { method: "DELETE" })).status).toBeLessThan(300);
    await expect.poll(() => statusOf(client, long), { timeout: 15_000 }).toMatchObject({ status: "failed" });
  });

  it("announces the end of an operation with fetch", async () => {
    const path = await submit(asTenant("hooked", server), "/reports", { name: "announced" });
    const receiver = asTenant("", server);
    await expect
      .poll(async () => (await receiver("/test/hooks")).json(), { timeout: 15_000 })
      .toMatchObject([
        { type: "operation.completed", data: { operationId: path.slice("/operations/".length) } },
      ]);
  });

  it("runs at most four at once", async () => {
    const client = asTenant("linus", server);
    const paths = await Promise.all(
      Array.from({ length: 12 }, () => submit(client, "/reports", { name: "beside", takesMs: 200 })),
    );
    await Promise.all(paths.map((path) => completed(client, path)));
    const found = await Promise.all(paths.map((path) => statusOf(client, path)));
    const beside = found.map(({ result }) => (result as { beside: number }).beside);
    expect(Math.max(...beside)).toBe(4);
  });

  it("begins a delayed operation at its time", async () => {
    const client = asTenant("delayed", server);
    const reply = (await (await client("/test/delayed?ms=3000")).json()) as { path: string; dueAt: number };
    await completed(client, reply.path);
    const { result } = await statusOf(client, reply.path);
    const late = (result as { startedAt: number }).startedAt - reply.dueAt;
    expect(late).toBeGreaterThan(-100);
    expect(late).toBeLessThan(LATE_MS);
  });

  it("works in 200 objects at once", async () => {
    const clients = Array.from({ length: 200 }, (_, place) => asTenant(`tenant-${place}`, server));
    const paths = await Promise.all(
      clients.map((client) => submit(client, "/orders", { itemId: "book", quantity: 1 }, "k")),
    );
    await Promise.all(clients.map((client, place) => completed(client, paths[place] ?? "")));
  });

  it("writes few rows for an operation", async () => {
    const client = asTenant("rows", server);
    const counts = async (): Promise<{ rows: number; alarms: number }> =>
      (await client("/test/contents")).json() as Promise<{ rows: number; alarms: number }>;
    await completed(client, await submit(client, "/reports", { name: "first" }, "first"));
    const before = await counts();
    const keys = Array.from({ length: 10 }, (_, place) => `key-${place}`);
    for (const key of keys)
      await completed(client, await submit(client, "/reports", { name: "counted" }, key));
    const after = await counts();
    expect(after.rows - before.rows).toBe(9 * keys.length);
    // Operations that come together share them.
    expect(after.alarms - before.alarms).toBeLessThan(keys.length);
  });

  it("leaves nothing when everything has expired", async () => {
    const client = asTenant("passing", server);
    const path = await submit(client, "/passing", {});
    await completed(client, path);
    await expect
      .poll(async () => (await client("/test/contents")).json(), { timeout: 30_000, interval: 500 })
      .toMatchObject({ tables: 0, alarm: null });
    // The object can be used again.
    await completed(client, await submit(client, "/passing", {}));
  });

  it.each(["a row", "a value"])(
    "stays when everything has expired, if it keeps %s of its user",
    async (keeps) => {
      const client = asTenant(keeps, server);
      await completed(client, await submit(client, "/passing", { keeps }));
      const contents = async (): Promise<unknown> => (await client("/test/contents")).json();
      await expect.poll(contents, { timeout: 30_000, interval: 500 }).toMatchObject({ alarm: null });
      expect(await contents()).not.toMatchObject({ tables: 0 });
    },
  );
});

describe.skipIf(isSkipped(workerd))("operations in Durable Objects whose process is killed", () => {
  it("complete, begin at their time, and were accepted once", async () => {
    let server = await startServer(project(), program);
    const client = asTenant("ada", () => server);
    const order = { itemId: "book", quantity: 1 };
    const paths = await Promise.all(
      Array.from({ length: 20 }, (_, place) => submit(client, "/orders", order, `key-${place}`)),
    );
    const slow = await submit(client, "/reports", { name: "slow", takesMs: 2_000 }, "slow");
    const delayed = (await (await client("/test/delayed?ms=4000")).json()) as { path: string; dueAt: number };
    const other = asTenant("grace", () => server);
    // A rollback takes the alarm along.
    const undone = (await (await other("/test/prepared?rollback")).json()) as string;
    const prepared = (await (await other("/test/prepared")).json()) as string;
    expect(await (await other("/test/contents")).json()).toMatchObject({ alarm: expect.any(Number) });
    await server.kill();
    server = await startServer(project(), program);
    try {
      // A request of a client starts no work.
      await completed(client, delayed.path);
      const { result } = await statusOf(client, delayed.path);
      expect((result as { startedAt: number }).startedAt - delayed.dueAt).toBeLessThan(LATE_MS);
      await Promise.all([...paths, slow].map((path) => completed(client, path)));
      expect((await other(undone)).status).toBe(404);
      await completed(other, prepared);
      const again = await Promise.all(
        paths.map((_, place) => submit(client, "/orders", order, `key-${place}`)),
      );
      expect(again).toEqual(paths);
      const found = await Promise.all(paths.map((path) => statusOf(client, path)));
      const counts = found.map(({ result }) => (result as { shipped: number }).shipped);
      // Each order has added one row, and counts those that are there.
      expect(counts.sort((one, other) => one - other)).toEqual(paths.map((_, place) => place + 1));
    } finally {
      await server.kill();
    }
  });

  it("lose nothing, do nothing twice and keep the order of lanes when that happens at any moment", async () => {
    const { violations, submissions } = await playKilledObjects(project(), { seed: 1, tenants: 20 });
    expect(violations).toEqual([]);
    expect(submissions).toBeGreaterThan(20);
  });
});
