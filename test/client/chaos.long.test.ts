import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineOrders } from "async-request-reply";
import { createClient } from "async-request-reply/client";
import Database from "libsql";
import { expect, it, onTestFinished } from "vitest";
import { effort } from "../support/effort.js";
import { type ServerProcess, startServer } from "../support/orders-server-process.js";
import { chooseFaults, type Fault } from "./chaos.js";

const ORDERS = effort(300, 300, 1_000);
const RESTARTS = effort(2, 2, 5);
/** Longest run of this test on a busy machine. Milliseconds. */
const TEST_MS = 300_000;

/** A server that can be killed and started again on the same port and file. */
async function startRestarting(file: string) {
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

/** Starts a proxy that treats each request as told, until the test ends. Resets connections if the server is away. */
async function startFaultProxy(targetPort: number) {
  const choose = chooseFaults(20_261_122);
  const counts = new Map<Fault, number>();
  const listener = createServer((incoming, reply) => {
    const fault = choose({ waits: incoming.headers.prefer !== undefined });
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    if (fault === "lost") incoming.socket.destroy();
    else if (fault === "unavailable") reply.writeHead(503).end();
    else forward(targetPort, incoming, reply, fault);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(async () => {
    const closed = once(listener, "close");
    listener.close();
    listener.closeAllConnections();
    await closed;
  });
  const { port } = listener.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, counts };
}

/** Shortest wait that a client takes for cut, and a bit. Milliseconds. */
const CUT_AFTER_MS = 1_050;

function forward(port: number, incoming: IncomingMessage, reply: ServerResponse, fault: Fault): void {
  const { method, url, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false });
  const reset = (): void => {
    incoming.socket.destroy();
    outgoing.destroy();
  };
  if (fault === "cut") setTimeout(reset, CUT_AFTER_MS);
  outgoing.on("error", reset);
  outgoing.on("response", (answer) => {
    if (fault === "reply lost") return reset();
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on("error", reset);
    answer.pipe(reply);
  });
  reply.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

it(`gets the results of ${ORDERS} orders through lost connections, 503s, restarts and cut waits`, {
  timeout: TEST_MS,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "client-chaos-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "orders.db");
  const server = await startRestarting(file);
  const proxy = await startFaultProxy(server.port);
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
