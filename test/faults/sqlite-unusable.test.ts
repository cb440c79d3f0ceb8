import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canMountTmpfs, mountReadOnly, unmountTmpfs } from "../support/tmpfs.js";
import { errorsOf, type OrderProcess } from "./order-processes.js";
import { expectUnavailable, idsOf, keysOf, newOrder, readOnce, send, sendAll, sendOnce } from "./orders.js";
import type { SqliteBench } from "./sqlite-bench.js";
import { useSqliteBench } from "./use-fault-bench.js";

/** Checks that an order gets 503 with Retry-After, and that the process says why. */
async function expectRefusal(key: string, api: OrderProcess, why: string): Promise<void> {
  await expectUnavailable(key, api.baseUrl);
  await expectReason(api, why);
}

const expectReason = (api: OrderProcess, why: string): Promise<void> =>
  expect.poll(() => errorsOf(api).at(-1) ?? "").toContain(why);

const expectNoWorker = ({ start }: SqliteBench, options: { url?: string } = {}): Promise<void> =>
  expect(start({ role: "worker", ...options })).rejects.toThrow("ended with 1");

describe.skipIf(!canMountTmpfs())("an SQLite file on a read-only mount, which only root can mount", () => {
  const bench = useSqliteBench();

  it("leads to 503 for submissions, committed operations can be read, and no worker starts", async () => {
    const owner = await bench().start({ role: "all" });
    const [id = ""] = (await send("known", () => owner.baseUrl)).operationIds;
    await bench().untilTerminal();
    const view = join(dirname(bench().folder), "view");
    mkdirSync(view);
    mountReadOnly(bench().folder, view);
    onTestFinished(() => unmountTmpfs(view));
    const url = `sqlite:${join(view, basename(bench().path))}`;
    const api = await bench().start({ role: "api", url });
    await expectRefusal("refused", api, "read-only");
    expect(await readOnce(id, api.baseUrl)).toMatchObject({ status: "completed" });
    await expectNoWorker(bench(), { url });
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
    await user.run("insert into arr_versions values (7, 5, 0)");
    const api = await bench().start({ role: "api" });
    await expectRefusal("later", api, "Upgrade the package");
    await expectNoWorker(bench());
    await user.run("delete from arr_versions where version = 7");
    sent.push(await send("later", () => api.baseUrl));
    await bench().start({ role: "worker" });
    await bench().expectCompleted(sent);
  });
});

describe("a damaged SQLite file", () => {
  const bench = useSqliteBench();

  it("leads to 500, which never looks like an unknown operation, and no worker starts", async () => {
    const first = await bench().start({ role: "api" });
    const ids = idsOf(...(await sendAll(keysOf("order", 200), () => first.baseUrl)));
    await bench().user().run("pragma wal_checkpoint(truncate)");
    damage(bench().path);
    const api = await bench().start({ role: "api" });
    const reads = await Promise.all(ids.map((id) => readOnce(id, api.baseUrl)));
    expect(new Set(reads)).toEqual(new Set([500]));
    expect(await sendOnce(newOrder("order-1"), api.baseUrl)).toBe(500);
    await expectReason(api, "Restore it from a backup");
    await expectNoWorker(bench());
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
    await expectRefusal("later", api, "was deleted, moved or replaced");
    renameSync(`${bench().path}-away`, bench().path);
    sent.push(await send("later", () => api.baseUrl));
    await bench().expectCompleted(sent);
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
    await expectReason(cut, "was deleted, moved or replaced");
    await cut.kill9();
    const restarted = await bench().start({ role: "api" });
    const again = await Promise.all(later.map((order) => sendOnce(order, restarted.baseUrl)));
    expect(again).toEqual(later.map(() => 202));
    await bench().expectCompleted([...sent, ...later]);
    await bench().expectIntact();
  });
});
