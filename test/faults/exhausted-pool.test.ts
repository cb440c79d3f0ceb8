import { expect, it, vi } from "vitest";
import { describeWithPostgres } from "../support/postgres/postgres-installation.js";
import {
  expectNoLongWait,
  keysOf,
  newOrder,
  readOnce,
  send,
  sendAll,
  sendOnce,
  statusesOf,
} from "./orders.js";
import { useFaultBench } from "./use-fault-bench.js";

describeWithPostgres("a pool of two connections (F11)", (installation) => {
  const bench = useFaultBench(installation);
  const release =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'";

  it("serves orders and reads of 200 clients with one connection stuck", async () => {
    const api = await bench().start({ role: "api", pool: { max: 2 }, stuckConnections: 1 });
    const [id = ""] = (await send("known", () => api.baseUrl)).operationIds;
    const sending = sendAll(keysOf("client", 200), () => api.baseUrl, { clients: 200 });
    const reads = await Promise.all(Array.from({ length: 20 }, () => readOnce(id, api.baseUrl)));
    expect(reads.filter((read) => typeof read === "number" && read !== 503)).toEqual([]);
    const sent = await sending;
    expect(statusesOf(sent)).not.toContain(500);
    expectNoLongWait(sent);
    const worker = await bench().start({ role: "worker" });
    await bench().expectCompleted(sent);
    await worker.stop();
  });

  it("answers 503 in bounded time while both connections are stuck, and recovers when they are free", async () => {
    const api = await bench().start({ role: "api", pool: { max: 2 }, stuckConnections: 2 });
    const orders = keysOf("stuck", 20).map(newOrder);
    const statuses = await Promise.all(orders.map((order) => sendOnce(order, api.baseUrl)));
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(orders.filter(({ missingRetryAfter }) => missingRetryAfter > 0)).toEqual([]);
    expectNoLongWait(orders);
    await bench().postgres.query(release);
    await vi.waitUntil(async () => (await sendOnce(newOrder("free"), api.baseUrl)) === 202);
  });
});
