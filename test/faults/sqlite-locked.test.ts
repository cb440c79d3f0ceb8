import { describe, expect, it, vi } from "vitest";
import type { OrderProcess } from "./order-processes.js";
import { alternate, keysOf, newOrder, readOnce, sendAll, sendOnce } from "./orders.js";
import { useSqliteBench } from "./use-fault-bench.js";

const seconds = (count: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, count * 1_000));

const failuresOf = (processes: readonly OrderProcess[]): number =>
  processes.flatMap(({ events }) => events).filter(({ event }) => event === "background.failed").length;

describe("an SQLite file that another process locks", () => {
  const bench = useSqliteBench();

  it("for several seconds under load delays requests, and nothing is lost or refused (F3)", async () => {
    const apis = [await bench().start({ role: "api" }), await bench().start({ role: "api" })];
    const worker = await bench().start({ role: "worker" });
    const sending = sendAll(keysOf("delayed", 600), alternate(apis.map(({ baseUrl }) => baseUrl)));
    await vi.waitUntil(() => worker.begun.length > 20);
    const unlock = await bench().lock();
    // Shorter than `lockTimeoutMs`, and longer than a lease.
    await seconds(3);
    await unlock();
    const sent = await sending;
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    expect(new Set(sent.flatMap(({ statuses }) => statuses))).toEqual(new Set([202]));
    for (const process of [...apis, worker]) process.kill("SIGTERM");
    expect(await Promise.all([...apis, worker].map(({ exited }) => exited))).toEqual([0, 0, 0]);
  });

  it("leads to 503 with Retry-After in bounded time, committed operations can be read, and no worker is busy (F6, F11, F20)", async () => {
    const sqlite = { lockTimeoutMs: 1_500 };
    const [api, worker] = [
      await bench().start({ role: "api", sqlite }),
      await bench().start({ role: "worker", sqlite }),
    ];
    const [known] = await sendAll(["known"], () => api.baseUrl);
    const id = [...(known?.operationIds ?? [])][0] ?? "";
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
    expect(Math.max(...orders.map(({ slowestMs }) => slowestMs))).toBeLessThan(8_000);
    const before = failuresOf([worker]);
    await seconds(3);
    // A sweep and a receive loop, whose calls each wait for 1.5 s.
    expect(failuresOf([worker]) - before).toBeLessThan(20);
    await unlock();
    const sent = await sendAll(keysOf("locked", 200), () => api.baseUrl);
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    for (const process of [api, worker]) process.kill("SIGKILL");
    await Promise.all([api.exited, worker.exited]);
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
    const api = await bench().start({ role: "api", sqlite });
    const worker = await bench().start({ role: "worker", sqlite });
    const order = newOrder("early");
    expect(await sendOnce(order, api.baseUrl)).toBe(503);
    expect(order.missingRetryAfter).toBe(0);
    await owner.close();
    const sent = await sendAll(["early"], () => api.baseUrl);
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    expect(worker.running()).toBe(true);
  });
});

describe("a deployment on an SQLite file", () => {
  const bench = useSqliteBench();

  it("whose processes are all killed and restarted under load loses nothing (F3)", async () => {
    let apis: readonly OrderProcess[] = [];
    let workers: readonly OrderProcess[] = [];
    const startAll = async (): Promise<void> => {
      [apis, workers] = await Promise.all([
        Promise.all([1, 2].map(() => bench().start({ role: "api" }))),
        Promise.all([1, 2].map(() => bench().start({ role: "worker" }))),
      ]);
    };
    await startAll();
    let turn = 0;
    const anyApi = (): string => apis[turn++ % apis.length]?.baseUrl ?? "";
    const sending = sendAll(keysOf("restarted", 600), anyApi, { retryMs: 20 });
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitUntil(() => workers.some(({ begun }) => begun.length > 30));
      for (const process of [...apis, ...workers]) process.kill("SIGKILL");
      await Promise.all([...apis, ...workers].map(({ exited }) => exited));
      await startAll();
    }
    const sent = await sending;
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    expect(new Set(sent.flatMap(({ statuses }) => statuses))).toEqual(new Set([0, 202]));
    await bench().expectIntact();
  });

  it("that is killed right after a reply keeps the acknowledged operation (F3)", async () => {
    const ids: string[] = [];
    for (const key of keysOf("acknowledged", 10)) {
      const api = await bench().start({ role: "api" });
      const [sent] = await sendAll([key], () => api.baseUrl);
      api.kill("SIGKILL");
      await api.exited;
      ids.push(...(sent?.operationIds ?? []));
    }
    const stored = new Set((await bench().operations()).map(({ id }) => id));
    expect(ids).toHaveLength(10);
    expect(ids.filter((id) => !stored.has(id))).toEqual([]);
  });
});
