import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineOrders } from "async-request-reply";
import { createClient } from "async-request-reply/client";
import Database from "libsql";
import { expect, it, onTestFinished } from "vitest";
import { type ServerProcess, startServer } from "../support/orders-server-process.js";
import { chooseFaults } from "./chaos.js";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.js";

const ORDERS = 1_000;
const RESTARTS = 5;
/** Longest run of this test on a busy machine. Milliseconds. */
const TEST_MS = 300_000;

/** A server that is killed and started again on the same port and file. */
interface Restarting {
  readonly port: number;
  restart(): Promise<void>;
}

async function startRestarting(file: string): Promise<Restarting> {
  const variables = { BACKEND: `sqlite:${file}`, WORK_MS: "150", LEASE_MS: "1000", LOG: "json" };
  let server: ServerProcess = await startServer(variables, "orders-server", TEST_MS);
  onTestFinished(() => server.kill());
  const port = Number(new URL(server.baseUrl).port);
  return {
    port,
    restart: async () => {
      await server.kill();
      server = await startServer({ ...variables, PORT: String(port) }, "orders-server", TEST_MS);
    },
  };
}

it("gets the results of 1,000 orders through lost connections, 503s, restarts and cut waits", {
  timeout: TEST_MS,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "client-chaos-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "orders.db");
  const server = await startRestarting(file);
  const proxy: FaultProxy = await startFaultProxy(server.port, chooseFaults(20_261_122));
  onTestFinished(() => proxy.close());
  const definitions = [defineOrders()] as const;
  const headers = { authorization: "Bearer demo-token" };
  const api = createClient({ baseUrl: proxy.url, definitions, headers, giveUpAfterMs: TEST_MS });

  let next = 0;
  const results: string[] = [];
  const ids = new Set<string>();
  const buy = async (): Promise<void> => {
    while (next < ORDERS) {
      const itemId = `item-${next++}`;
      const op = await api.orders.submit({ itemId, quantity: 1 });
      const result = (await op.result()) as { readonly itemId: string };
      ids.add(op.operationId);
      results.push(result.itemId);
    }
  };
  const buyers = Promise.all(Array.from({ length: 200 }, buy));
  for (let restart = 1; restart <= RESTARTS; restart++) {
    await expect
      .poll(() => results.length, { timeout: 60_000 })
      .toBeGreaterThan((restart * ORDERS) / (RESTARTS + 2));
    await server.restart();
  }
  await buyers;

  expect([results.length, new Set(results).size, ids.size]).toEqual([ORDERS, ORDERS, ORDERS]);
  const database = new Database(file);
  const rows = database.prepare("select state, count(*) as count from arr_operations group by state").all();
  database.close();
  expect(rows).toEqual([{ state: "completed", count: ORDERS }]);
  for (const fault of ["lost", "reply lost", "unavailable", "cut"] as const)
    expect(proxy.counts.get(fault)).toBeGreaterThan(10);
  console.log("requests by fault:", Object.fromEntries(proxy.counts));
});
