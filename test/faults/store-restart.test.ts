import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it, vi } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import { startAll } from "./order-bench.js";
import { countEvents, type OrderProcess } from "./order-processes.js";
import {
  alternate,
  expectNoLongWait,
  expectUnavailable,
  idsOf,
  keysOf,
  readOnce,
  type SentOrder,
  send,
  sendAll,
  statusesOf,
} from "./orders.js";
import { describeOnEachStore, useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a Postgres that stops", (installation) => {
  const bench = useFaultBench(installation, { fsync: true });
  let apis: readonly OrderProcess[];
  let workers: readonly OrderProcess[];
  beforeAll(async () => {
    apis = await startAll(bench(), ["api", "api"]);
    workers = await startAll(bench(), ["worker", "worker"]);
  });
  const anyApi = (): (() => string) => alternate(apis);

  it.each([
    ["shut down cleanly", () => bench().postgres.stop("fast")],
    ["stopped immediately", () => bench().postgres.stop("immediate")],
    ["killed", () => bench().postgres.kill9()],
  ])("and is %s under load loses nothing and causes no long waits (F3)", async (how, stop) => {
    const sending = sendAll(keysOf(how.replaceAll(" ", "-"), 300), anyApi(), { clients: 24 });
    const accepted = (): number => countEvents("operation.accepted", apis);
    const before = accepted();
    await vi.waitUntil(() => accepted() > before + 50);
    await stop();
    await bench().postgres.start();
    const sent = await sending;
    await bench().expectCompleted(sent);
    expect([...statusesOf(sent)].filter((status) => ![202, 409, 503].includes(status))).toEqual([]);
    expect(sent.filter(({ missingRetryAfter }) => missingRetryAfter > 0)).toEqual([]);
    expectNoLongWait(sent);
  });

  it("leads to 503 with Retry-After, and no worker retries in a busy loop (F6)", async () => {
    const known = await send("known", anyApi());
    await bench().untilTerminal();
    await bench().postgres.stop("fast");
    const before = countEvents("background.failed", workers);
    const url = anyApi()();
    await expectUnavailable("down", url);
    expect(await readOnce(idsOf(known)[0] ?? "", url)).toBe(503);
    await sleep(3_000);
    // Each of two workers has a receive loop that waits 1 s, and a sweep of two steps every 100 ms.
    expect(countEvents("background.failed", workers) - before).toBeLessThan(200);
    await bench().postgres.start();
    const later = await send("down", anyApi());
    await bench().expectCompleted([known, later]);
  });

  it("and is killed right after a reply keeps the acknowledged operation", async () => {
    const sent: SentOrder[] = [];
    for (const key of keysOf("acknowledged", 10)) {
      sent.push(await send(key, anyApi()));
      await bench().postgres.kill9();
      await bench().postgres.start();
    }
    const ids = new Set((await bench().operations()).map(({ id }) => id));
    expect(idsOf(...sent).filter((id) => !ids.has(id))).toEqual([]);
    await bench().expectCompleted(sent);
  });
});

describeOnEachStore("a deployment stopped as a whole (F23)", (bench) => {
  it("does all pending work once after it starts again", async () => {
    const api = await bench().start({ role: "api" });
    const sent = await sendAll(keysOf("waiting", 1_000), () => api.baseUrl);
    expect(await api.stop()).toBe(0);
    await bench().restartStore();
    // No pause of a busy machine ends such a lease, so no work is repeated.
    await startAll(bench(), ["worker", "worker"], { worker: { leaseMs: 20_000 } });
    await bench().expectCompleted(sent);
    expect(await bench().effects()).toHaveLength(1_000);
  });
});
