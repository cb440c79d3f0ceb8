import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { startAll } from "./order-bench.js";
import { countEvents, killAll, stopAll } from "./order-processes.js";
import {
  alternate,
  expectNoLongWait,
  expectUnavailable,
  keysOf,
  newOrder,
  readOnce,
  send,
  sendAll,
  sendOnce,
  statusesOf,
} from "./orders.js";
import { useSqliteBench } from "./use-fault-bench.js";

describe("an SQLite file that another process locks", () => {
  const bench = useSqliteBench();

  it("for several seconds under load delays requests, and nothing is lost or refused (F3)", async () => {
    const [one, other, worker] = await startAll(bench(), ["api", "api", "worker"]);
    const sending = sendAll(keysOf("delayed", 600), alternate([one, other]));
    await vi.waitUntil(() => worker.begun.length > 20);
    const unlock = await bench().lock();
    // Shorter than `lockTimeoutMs`, and longer than a lease.
    await sleep(3_000);
    await unlock();
    const sent = await sending;
    await bench().expectCompleted(sent);
    expect(statusesOf(sent)).toEqual(new Set([202]));
    await stopAll([one, other, worker]);
  });

  it("leads to 503 with Retry-After in bounded time, committed operations can be read, and no worker is busy (F6, F11, F20)", async () => {
    const sqlite = { lockTimeoutMs: 1_500 };
    const [api, worker] = await startAll(bench(), ["api", "worker"], { sqlite });
    const [id = ""] = (await send("known", () => api.baseUrl)).operationIds;
    await bench().untilTerminal();
    const unlock = await bench().lock();
    const orders = keysOf("locked", 200).map(newOrder);
    let areAnswered = false;
    const answers = Promise.all(orders.map((order) => sendOnce(order, api.baseUrl))).finally(() => {
      areAnswered = true;
    });
    // The event loop is free while calls wait, and a writer stops no reader.
    expect(await readOnce(id, api.baseUrl)).toMatchObject({ status: "completed" });
    expect(areAnswered).toBe(false);
    expect(new Set(await answers)).toEqual(new Set([503]));
    expect(orders.filter(({ missingRetryAfter }) => missingRetryAfter > 0)).toEqual([]);
    expectNoLongWait(orders, 8_000);
    const before = countEvents("background.failed", [worker]);
    await sleep(3_000);
    // A sweep and a receive loop, whose calls each wait for 1.5 s.
    expect(countEvents("background.failed", [worker]) - before).toBeLessThan(20);
    await unlock();
    const sent = await sendAll(keysOf("locked", 200), () => api.baseUrl);
    await bench().expectCompleted(sent);
    await killAll([api, worker]);
  });
});

describe("an SQLite file that another process has for itself alone", () => {
  const bench = useSqliteBench();

  it("keeps a deployment that starts from working until the file is free (F3)", async () => {
    const owner = bench().user();
    // Possible only as long as no other connection has used the file.
    await owner.run("pragma locking_mode = exclusive");
    await owner.run("begin exclusive");
    const sqlite = { lockTimeoutMs: 500 };
    const [api, worker] = await startAll(bench(), ["api", "worker"], { sqlite });
    await expectUnavailable("early", api.baseUrl);
    await owner.close();
    await bench().expectCompleted([await send("early", () => api.baseUrl)]);
    expect(worker.running()).toBe(true);
  });
});

describe("a deployment on an SQLite file", () => {
  const bench = useSqliteBench();

  it("whose processes are all killed and restarted under load loses nothing (F3)", async () => {
    const roles = ["api", "api", "worker", "worker"] as const;
    let processes = await startAll(bench(), roles);
    let turn = 0;
    const anyApi = (): string => processes[turn++ % 2 === 0 ? 0 : 1].baseUrl;
    const sending = sendAll(keysOf("restarted", 600), anyApi, { retryMs: 20 });
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitUntil(() => processes.some(({ begun }) => begun.length > 30));
      await killAll(processes);
      processes = await startAll(bench(), roles);
    }
    const sent = await sending;
    await bench().expectCompleted(sent);
    expect(statusesOf(sent)).toEqual(new Set([0, 202]));
    await bench().expectIntact();
  });

  it("that is killed right after a reply keeps the acknowledged operation (F3)", async () => {
    const ids: string[] = [];
    for (const key of keysOf("acknowledged", 10)) {
      const api = await bench().start({ role: "api" });
      const { operationIds } = await send(key, () => api.baseUrl);
      await api.kill9();
      ids.push(...operationIds);
    }
    const stored = new Set((await bench().operations()).map(({ id }) => id));
    expect(ids).toHaveLength(10);
    expect(ids.filter((id) => !stored.has(id))).toEqual([]);
  });
});
