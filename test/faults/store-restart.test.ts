import { beforeAll, expect, it, vi } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import type { OrderProcess } from "./order-processes.js";
import { alternate, keysOf, newOrder, readOnce, type SentOrder, send, sendAll, sendOnce } from "./orders.js";
import { describeOnEachStore, useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a Postgres that stops", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });
  let apis: readonly OrderProcess[];
  let workers: readonly OrderProcess[];
  beforeAll(async () => {
    apis = await Promise.all([bench().start({ role: "api" }), bench().start({ role: "api" })]);
    workers = await Promise.all([bench().start({ role: "worker" }), bench().start({ role: "worker" })]);
  });
  const anyApi = (): (() => string) => alternate(apis.map(({ baseUrl }) => baseUrl));

  it.each([
    ["shut down cleanly", () => bench().postgres.stop("fast")],
    ["stopped immediately", () => bench().postgres.stop("immediate")],
    ["killed", () => bench().postgres.kill9()],
  ])("and is %s under load loses nothing and causes no long waits (F3)", async (how, stop) => {
    const sending = sendAll(keysOf(how.replaceAll(" ", "-"), 300), anyApi(), { clients: 24 });
    const accepted = (): number =>
      apis.flatMap(({ events }) => events).filter(({ event }) => event === "operation.accepted").length;
    const before = accepted();
    await vi.waitUntil(() => accepted() > before + 50);
    await stop();
    await bench().postgres.start();
    const sent = await sending;
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    const statuses = new Set(sent.flatMap((order) => order.statuses));
    expect([...statuses].filter((status) => ![202, 409, 503].includes(status))).toEqual([]);
    expect(sent.filter(({ missingRetryAfter }) => missingRetryAfter > 0)).toEqual([]);
    expect(Math.max(...sent.map(({ slowestMs }) => slowestMs))).toBeLessThan(12_000);
  });

  it("leads to 503 with Retry-After, and no worker retries in a busy loop (F6)", async () => {
    const known = await send("known", anyApi());
    await bench().untilTerminal();
    await bench().postgres.stop("fast");
    const failures = (): number =>
      workers.flatMap(({ events }) => events).filter(({ event }) => event === "background.failed").length;
    const before = failures();
    const down = newOrder("down");
    const url = anyApi()();
    expect(await sendOnce(down, url)).toBe(503);
    expect(await readOnce([...known.operationIds][0] ?? "", url)).toBe(503);
    expect(down.missingRetryAfter).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // Each of two workers has a receive loop that waits 1 s, and a sweep of two steps every 100 ms.
    expect(failures() - before).toBeLessThan(200);
    await bench().postgres.start();
    const later = await send("down", anyApi());
    await bench().untilTerminal();
    await bench().expectInvariants([known, later]);
  });

  it("and is killed right after a reply keeps the acknowledged operation", async () => {
    const sent: SentOrder[] = [];
    for (const key of keysOf("acknowledged", 10)) {
      sent.push(await send(key, anyApi()));
      await bench().postgres.kill9();
      await bench().postgres.start();
    }
    const ids = new Set((await bench().operations()).map(({ id }) => id));
    expect(sent.flatMap(({ operationIds }) => [...operationIds]).filter((id) => !ids.has(id))).toEqual([]);
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
  });
});

describeOnEachStore("a deployment stopped as a whole (F23)", (bench) => {
  it("does all pending work once after it starts again", async () => {
    const api = await bench().start({ role: "api" });
    const sent = await sendAll(keysOf("waiting", 1_000), () => api.baseUrl);
    api.kill("SIGTERM");
    expect(await api.exited).toBe(0);
    await bench().restartStore();
    // No pause of a busy machine ends such a lease, so no work is repeated.
    const worker = { leaseMs: 20_000 };
    await Promise.all(["a", "b"].map(() => bench().start({ role: "worker", worker })));
    await bench().untilTerminal();
    await bench().expectInvariants(sent);
    expect(await bench().effects()).toHaveLength(1_000);
  });
});
