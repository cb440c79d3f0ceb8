import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMountTmpfs, mountReadOnly, unmountTmpfs } from "../support/tmpfs.js";
import type { OrderProcess } from "./order-processes.js";
import { keysOf, newOrder, readOnce, type SentOrder, send, sendAll, sendOnce } from "./orders.js";
import { useSqliteBench } from "./use-fault-bench.js";

const idsOf = (orders: readonly SentOrder[]): readonly string[] =>
  orders.flatMap(({ operationIds }) => [...operationIds]);
const failuresOf = ({ events }: OrderProcess): readonly string[] =>
  events.flatMap((each) => ("error" in each ? [String(each.error)] : []));

describe.skipIf(!canMountTmpfs())("an SQLite file on a read-only mount, which only root can mount", () => {
  const bench = useSqliteBench();

  it("leads to 503 for submissions, committed operations can be read, and no worker starts", async () => {
    const owner = await bench().start({ role: "all" });
    const [known] = await sendAll(["known"], () => owner.baseUrl);
    await bench().untilTerminal();
    const view = join(dirname(bench().folder), "view");
    mkdirSync(view);
    mountReadOnly(bench().folder, view);
    onTestFinished(() => unmountTmpfs(view));
    const url = `sqlite:${join(view, basename(bench().path))}`;
    const api = await bench().start({ role: "api", url });
    const order = newOrder("refused");
    expect(await sendOnce(order, api.baseUrl)).toBe(503);
    expect(order.missingRetryAfter).toBe(0);
    await expect.poll(() => failuresOf(api).at(-1) ?? "").toContain("read-only");
    expect(await readOnce(idsOf(known === undefined ? [] : [known])[0] ?? "", api.baseUrl)).toMatchObject({
      status: "completed",
    });
    await expect(bench().start({ role: "worker", url })).rejects.toThrow("ended with 1");
    await send("refused", () => owner.baseUrl);
    await bench().untilTerminal();
  });
});

describe("an SQLite file that needs a newer release", () => {
  const bench = useSqliteBench();

  it("leads to 503, no worker starts, and everything continues with the right release", async () => {
    const first = await bench().start({ role: "api" });
    const sent = [await send("before", () => first.baseUrl)];
    const user = bench().user();
    await user.run("insert into arr_migrations values (7, 5, 0)");
    const api = await bench().start({ role: "api" });
    const order = newOrder("later");
    expect(await sendOnce(order, api.baseUrl)).toBe(503);
    expect(order.missingRetryAfter).toBe(0);
    await expect.poll(() => failuresOf(api).at(-1) ?? "").toContain("Upgrade the package");
    await expect(bench().start({ role: "worker" })).rejects.toThrow("ended with 1");
    await user.run("delete from arr_migrations where version = 7");
    sent.push(await send("later", () => api.baseUrl));
    await bench().start({ role: "worker" });
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
  });
});

describe("a damaged SQLite file", () => {
  const bench = useSqliteBench();

  it("leads to 500, which never looks like an unknown operation, and no worker starts", async () => {
    const first = await bench().start({ role: "api" });
    const ids = idsOf(await sendAll(keysOf("order", 200), () => first.baseUrl));
    await bench().user().run("pragma wal_checkpoint(truncate)");
    damage(bench().path);
    const api = await bench().start({ role: "api" });
    const reads = await Promise.all(ids.map((id) => readOnce(id, api.baseUrl)));
    expect(new Set(reads)).toEqual(new Set([500]));
    expect(await sendOnce(newOrder("order-1"), api.baseUrl)).toBe(500);
    await expect.poll(() => failuresOf(api).at(-1) ?? "").toContain("Restore it from a backup");
    await expect(bench().start({ role: "worker" })).rejects.toThrow("ended with 1");
    expect(api.running()).toBe(true);
  });

  /** Overwrites everything after the first two pages, which describe the tables. */
  function damage(path: string): void {
    const file = openSync(path, "r+");
    const length = statSync(path).size - 8_192;
    writeSync(file, new Uint8Array(length).fill(0xff), 0, length, 8_192);
    closeSync(file);
  }
});

describe("an SQLite file that is moved away while processes use it", () => {
  const bench = useSqliteBench();

  it("leads to 503, because accepted operations would be lost, and continues when it is back", async () => {
    const api = await bench().start({ role: "api" });
    const sent = [await send("before", () => api.baseUrl)];
    const worker = await bench().start({ role: "worker" });
    await bench().untilTerminal();
    renameSync(bench().path, `${bench().path}-away`);
    const order = newOrder("later");
    expect(await sendOnce(order, api.baseUrl)).toBe(503);
    expect(order.missingRetryAfter).toBe(0);
    await expect.poll(() => failuresOf(api).at(-1) ?? "").toContain("was deleted, moved or replaced");
    renameSync(`${bench().path}-away`, bench().path);
    sent.push(await send("later", () => api.baseUrl));
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    expect(worker.running()).toBe(true);
  });
});

describe("an SQLite file whose write-ahead log is deleted while a process uses it", () => {
  const bench = useSqliteBench();

  it("leads to 503 in that process, while one that starts later accepts, so no key gets two operations", async () => {
    const cut = await bench().start({ role: "api" });
    const sent = [await send("before", () => cut.baseUrl)];
    const user = bench().user();
    await user.run("pragma wal_checkpoint(truncate)");
    await user.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${bench().path}${suffix}`);
    const api = await bench().start({ role: "all" });
    const later = await sendAll(keysOf("later", 30), () => api.baseUrl);
    const statuses = await Promise.all(later.map((order) => sendOnce(order, cut.baseUrl)));
    expect(statuses).toEqual(later.map(() => 503));
    await expect.poll(() => failuresOf(cut).at(-1) ?? "").toContain("was deleted, moved or replaced");
    cut.kill("SIGKILL");
    await cut.exited;
    const restarted = await bench().start({ role: "api" });
    expect(await Promise.all(later.map((order) => sendOnce(order, restarted.baseUrl)))).toEqual(
      later.map(() => 202),
    );
    sent.push(...later);
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    await bench().expectIntact();
  });
});
