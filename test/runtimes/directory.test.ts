import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isNight } from "../support/effort.js";
import { isSkipped, workerd } from "./matrix.js";
import { useProject, workers } from "./project.js";
import { type ServerProcess, startServer, useServer } from "./server-process.js";
import { asTenant, type TenantClient } from "./tenant-client.js";

const program = {
  runtime: workerd,
  args: [...workerd.options, "--experimental"],
  folder: workers.objectsWithDirectory,
};

const project = useProject();

interface Summary {
  readonly operationId: string;
  readonly tenant: string;
  readonly status: string;
}

async function submit(client: TenantClient, path: string, body: unknown, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { "idempotency-key": key };
  const reply = await client(path, { method: "POST", headers, body });
  expect(reply.status).toBe(202);
  return idIn(reply);
}

function idIn(reply: Response): string {
  return (reply.headers.get("location") ?? "").slice("/operations/".length);
}

const ends = (client: TenantClient, id: string, status = "completed"): Promise<void> =>
  expect
    .poll(async () => (await client(`/operations/${id}`)).json(), { timeout: 30_000, interval: 100 })
    .toMatchObject({ status });

/** Calls methods of the operator over all objects. */
function operatorOf(server: () => ServerProcess, old = false) {
  return async <Result>(method: string, ...parameters: readonly unknown[]): Promise<Result> => {
    const body = JSON.stringify({ method, parameters, old });
    const reply = await fetch(`${server().baseUrl}/test/operate`, { method: "POST", body });
    const result = (await reply.json()) as Result & { readonly error?: string };
    if (!reply.ok) throw new Error(result.error);
    return result;
  };
}

/** Reads all pages of a list. */
async function readAll(
  read: (cursor?: string) => Promise<{ readonly operations: readonly Summary[]; readonly cursor?: string }>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    ids.push(...page.operations.map(({ operationId }) => operationId));
    cursor = page.cursor;
    if (cursor === undefined) return ids;
  }
}

describe.skipIf(isSkipped(workerd))("an operator over all objects", () => {
  const server = useServer(project, { name: "objects with a directory", ...program });
  const operator = operatorOf(server);

  it("finds, lists, cancels and runs again the operations of any tenant", async () => {
    const names = Array.from({ length: 12 }, (_, place) => `tenant ${place}`);
    const ids: string[] = [];
    for (const name of names) {
      const client = asTenant(name, server);
      ids.push(await submit(client, "/reports", { name }));
      await ends(client, ids.at(-1) ?? "");
    }
    for (const [index, id] of ids.entries())
      expect(await operator("get", id)).toMatchObject({
        tenant: names[index],
        input: { name: names[index] },
      });
    expect(await operator("get", "01a22859-8d33-7596-883b-b906631e9c98")).toBeNull();
    const pages = (cursor?: string) =>
      operator<{ operations: readonly Summary[] }>("list", { limit: 5, ...(cursor && { cursor }) });
    expect(await readAll(pages)).toEqual(ids.toReversed());
    const first = asTenant("tenant 0", server);
    const second = await submit(first, "/reports", { name: "second" });
    await ends(first, second);
    const own = await operator<{ operations: Summary[] }>("list", { tenant: "tenant 0" });
    expect(own.operations.map(({ operationId }) => operationId)).toEqual([second, ids[0]]);
    // Objects report at most once a minute.
    if (isNight)
      await expect
        .poll(() => readAll(pages), { timeout: 90_000, interval: 5_000 })
        .toEqual([second, ...ids.toReversed()]);

    const long = await submit(first, "/reports", { name: "long", takesMs: 30_000 });
    expect(await operator("cancel", long)).toMatchObject({
      outcome: expect.stringMatching(/requested|cancelled/),
    });
    await ends(first, long, "failed");

    const failed = await submit(first, "/reports", { name: "failing", fails: true });
    await ends(first, failed, "failed");
    await fetch(`${server().baseUrl}/test/mend`);
    const { operation } = await operator<{ operation: Summary }>("redrive", failed);
    expect(operation.operationId.slice(-8)).toBe(failed.slice(-8));
    await ends(first, operation.operationId);
    expect(await operator("redrive", failed)).toMatchObject({ outcome: "already-redriven" });

    const answer = await submit(first, "/answers", { words: ["one", "two"] });
    await ends(first, answer);
    expect(await operator("output", answer)).toMatchObject({ chunks: ["one", "two"] });
  });

  it("costs the directory few rows", async () => {
    const rows = async () => (await (await fetch(`${server().baseUrl}/test/rows`)).json()) as number;
    const client = asTenant("counting", server);
    const before = await rows();
    await ends(client, await submit(client, "/reports", { name: "counted" }));
    // Itself with two indexes before it has operations, and then that and its counts with an index each, and once more what changes.
    expect((await rows()) - before).toBe(3 + 5);
  });

  it("lets objects compute in a Worker without state", async () => {
    const client = asTenant("computing", server);
    const id = await submit(client, "/computed", { number: 12 });
    await ends(client, id);
    expect(await operator("get", id)).toMatchObject({ result: { square: 144 } });
  });

  it("serves the console", async () => {
    const id = await submit(asTenant("of console", server), "/reports", { name: "shown" });
    await ends(asTenant("of console", server), id);
    const details = await fetch(`${server().baseUrl}/console/api/operations/${id}`);
    expect(await details.json()).toMatchObject({ operation: { tenant: "of console", status: "completed" } });
    const overview = await fetch(`${server().baseUrl}/console/api/overview`);
    expect(await overview.json()).toMatchObject({ stats: [{ definition: "reports" }, {}, {}, {}] });
  });

  it("is not reached by clients, although they name its calls", async () => {
    const client = asTenant("attacker", server);
    const victim = await submit(asTenant("victim", server), "/reports", { name: "secret" });
    const headers = { "async-request-reply-call": "inspect" };
    for (const path of [`/operations/${victim}`, "/operations", "/"]) {
      const text = await (await client(path, { headers })).text();
      expect(text).not.toContain("secret");
    }
    const body = { id: victim };
    expect((await client("/", { method: "POST", headers, body })).status).toBe(404);
    expect((await client("/reports", { method: "POST", headers, body })).status).toBe(422);
  });

  it("counts by definition and by tenant", async () => {
    const client = asTenant("counted", server);
    const id = await submit(client, "/reports", { name: "running", takesMs: 20_000 });
    const later = asTenant("counted later", server);
    const other = await submit(later, "/reports", { name: "running", takesMs: 20_000 });
    const counted = async () => {
      const tenants = await operator<readonly { readonly tenant: string }[]>("tenants", { by: "age" });
      return tenants.filter(({ tenant }) => tenant.startsWith("counted"));
    };
    await expect.poll(counted, { timeout: 20_000 }).toMatchObject([
      { tenant: "counted", due: 1, failed: 0, dueSince: expect.any(String) },
      { tenant: "counted later", due: 1 },
    ]);
    const [stats] = await operator<readonly { readonly due: { readonly count: number } }[]>("stats");
    expect(stats?.due.count).toBeGreaterThanOrEqual(2);
    await client(`/operations/${id}`, { method: "DELETE" });
    await later(`/operations/${other}`, { method: "DELETE" });
  });
});

describe.skipIf(isSkipped(workerd))("a pause of all objects", () => {
  it("holds in objects that did not run, and ends within a minute", async () => {
    let server = await startServer(project(), program);
    const operator = operatorOf(() => server);
    try {
      const client = asTenant("asleep", () => server);
      await ends(client, await submit(client, "/reports", { name: "before" }));
      await server.kill();
      server = await startServer(project(), program);
      await operator("pause", "reports", { by: "ops" });
      const held = await submit(client, "/reports", { name: "held" });
      const created = asTenant(`created ${Date.now()}`, () => server);
      const alsoHeld = await submit(created, "/reports", { name: "held" });
      const answer = await submit(client, "/answers", { words: ["one"] });
      await ends(client, answer);
      expect(await operator("get", held)).toMatchObject({ status: "pending", attempt: 0 });
      expect(await operator("get", alsoHeld)).toMatchObject({ status: "pending", attempt: 0 });
      expect(await operator("stats")).toMatchObject([{ paused: { by: "ops" } }, {}, {}, {}]);
      await operator("resume", "reports");
      if (isNight) {
        const patience = { timeout: 130_000, interval: 1_000 };
        await expect.poll(() => operator("get", alsoHeld), patience).toMatchObject({ status: "completed" });
      }
      // An object that wakes up learns of it at once.
      await server.kill();
      server = await startServer(project(), program);
      await submit(client, "/answers", { words: [] });
      await ends(client, held);
    } finally {
      await server.kill();
    }
  });
});

describe.skipIf(isSkipped(workerd))("a tenant with several objects", () => {
  const server = useServer(project, { name: "objects with shards", ...program });
  const operator = operatorOf(server);

  it("has all of its operations, each once, and a list of them in order", async () => {
    const client = asTenant("sharded-4-ada", server);
    const keys = Array.from({ length: 40 }, (_, place) => `key-${place}`);
    const first: string[] = [];
    for (const key of keys) first.push(await submit(client, "/reports", { name: key }, key));
    const again = await Promise.all(keys.map((key) => submit(client, "/reports", { name: key }, `"${key}"`)));
    expect(again).toEqual(first);
    expect(new Set(first.map((id) => Number.parseInt(id.slice(-2), 16) % 64))).toEqual(new Set([0, 1, 2, 3]));
    const used = { method: "POST", headers: { "idempotency-key": "key-0" }, body: { name: "other" } };
    expect((await client("/reports", used)).status).toBe(422);
    await Promise.all(first.map((id) => ends(client, id)));
    const pageOf = async (path: string) => {
      const reply = await client(path);
      const { operations } = (await reply.json()) as { operations: Summary[] };
      const [, next] = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "") ?? [];
      return { operations, ...(next && { cursor: next }) };
    };
    const listed = await readAll((cursor) => pageOf(cursor ?? "/operations?limit=7"));
    expect(listed).toEqual(first.toReversed());
    expect(
      await readAll((cursor) =>
        operator("list", { tenant: "sharded-4-ada", limit: 9, ...(cursor && { cursor }) }),
      ),
    ).toEqual(first.toReversed());
    const other = asTenant("sharded-4-ben", server);
    await submit(other, "/reports", { name: "own" });
    for (const id of first.slice(0, 8)) expect((await other(`/operations/${id}`)).status).toBe(404);
    const elsewhere = `${first[0]?.slice(0, -2)}3f`;
    expect((await client(`/operations/${elsewhere}`)).status).toBe(404);
  });

  it("keeps the number of objects that it began with", async () => {
    const client = asTenant("sharded-3-grace", server);
    const id = await submit(client, "/reports", { name: "first" }, "once");
    const headers = { "idempotency-key": "once", "x-more": "1" };
    const more = await client("/reports", { method: "POST", headers, body: { name: "first" } });
    expect([more.status, more.headers.has("retry-after")]).toEqual([503, true]);
    expect(await submit(client, "/reports", { name: "first" }, "once")).toBe(id);
    await ends(client, id);
  });

  it("can get another number when everything has expired", async () => {
    const client = asTenant("sharded-2-passing", server);
    const more = (key: string) =>
      client("/passing", { method: "POST", headers: { "idempotency-key": key, "x-more": "1" }, body: {} });
    await submit(client, "/passing", {}, "one");
    expect((await more("two")).status).toBe(503);
    await expect.poll(async () => (await more("two")).status, { timeout: 60_000, interval: 500 }).toBe(202);
  });
});

describe.skipIf(isSkipped(workerd))("objects whose process is killed while they begin", () => {
  it("keep their numbers, so that every operation is found and none exists twice", async () => {
    let server = await startServer(project(), program);
    const operator = operatorOf(() => server);
    const tenants = [...Array(20).keys()].map((place) => `sharded-${1 + (place % 4)}-killed-${place}`);
    const keys = ["a", "b", "c", "d", "e"];
    const accepted = new Map<string, string>();
    const submitAll = () =>
      Promise.all(
        tenants.flatMap((tenant) =>
          keys.map(async (key) => {
            const client = asTenant(tenant, () => server);
            const headers = { "idempotency-key": key };
            const sending = client("/reports", { method: "POST", headers, body: { name: key } });
            const reply = await sending.catch(() => undefined);
            if (reply?.status !== 202) return;
            const name = `${tenant} ${key}`;
            expect(accepted.get(name) ?? idIn(reply)).toBe(idIn(reply));
            accepted.set(name, idIn(reply));
          }),
        ),
      );
    try {
      for (const lifeMs of [150, 300, 450]) {
        const submitting = submitAll();
        await sleep(lifeMs);
        await server.kill();
        await submitting;
        server = await startServer(project(), program);
      }
      await expect
        .poll(() => submitAll().then(() => accepted.size), { timeout: 60_000, interval: 500 })
        .toBe(tenants.length * keys.length);
      for (const [name, id] of accepted) {
        await ends(
          asTenant(name.slice(0, -2), () => server),
          id,
        );
        expect(await operator("get", id)).toMatchObject({ tenant: name.slice(0, -2), status: "completed" });
      }
    } finally {
      await server.kill();
    }
  });
});

describe.skipIf(isSkipped(workerd))("a directory that was lost", () => {
  it("is rebuilt as objects wake up", async () => {
    let server = await startServer(project(), program);
    const operator = operatorOf(() => server);
    try {
      const client = asTenant("lost", () => server);
      const id = await submit(client, "/reports", { name: "kept" }, "kept");
      await ends(client, id);
      expect(await operator("get", id)).toMatchObject({ status: "completed" });
      await fetch(`${server.baseUrl}/test/lose`);
      expect(await operator("get", id)).toBeNull();
      await server.kill();
      server = await startServer(project(), program);
      expect(await submit(client, "/reports", { name: "kept" }, "kept")).toBe(id);
      await expect.poll(() => operator("get", id), { timeout: 20_000 }).toMatchObject({ tenant: "lost" });
      const later = await submit(client, "/reports", { name: "later" });
      expect(later.slice(-8)).toBe(id.slice(-8));
    } finally {
      await server.kill();
    }
  });
});

describe.skipIf(isSkipped(workerd))("a Worker of this version and objects of an older one", () => {
  const server = useServer(project, { name: "older objects", ...program });

  it("serve clients", async () => {
    const client = asTenant("old", server);
    const headers = { "x-old": "1", "idempotency-key": "old" };
    const accepted = await client("/reports", { method: "POST", headers, body: { name: "old" } });
    expect(accepted.status).toBe(202);
    const path = `/operations/${idIn(accepted)}`;
    await expect
      .poll(async () => (await client(path, { headers })).json(), { timeout: 20_000 })
      .toMatchObject({ status: "completed" });
  });

  it("tell an operator that they know no call yet", async () => {
    // The directory names an object of this tenant, because a newer one has reported.
    const id = await submit(asTenant("both", server), "/reports", { name: "both" });
    await expect(operatorOf(server, true)("get", id)).rejects.toThrow(/older version.*"inspect"/);
  });
});
