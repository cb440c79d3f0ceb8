import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createOrdersClient } from "../support/orders-client.js";
import type { StartServer } from "../support/orders-server-process.js";
import { type EventLine, eventsOf, untilLogged } from "./event-lines.js";
import { startForTest } from "./start-for-test.js";

const FOREVER = "600000";
const order = JSON.stringify({ itemId: "book", quantity: 1 });

/** Declares the tests of the example server's shutdown, for any back end. */
export function declareServerShutdown(startServer: StartServer): void {
  const start = (workMs: string) => startForTest({ LOG: "json", WORK_MS: workMs }, startServer);

  it("finishes running work under load, answers every accepted request, and exits with 0", async () => {
    const server = await start("200");
    const clients = Array.from({ length: 8 }, () => postUntilRefused(server.baseUrl));
    await untilLogged(server.stdout, "operation.completed", 20);
    server.signal("SIGTERM");
    const { code, stderr } = await server.exited;

    const replies = (await Promise.all(clients)).flat();
    const events = eventsOf(server.stdout);
    expect(code).toBe(0);
    expect(stderr).toEqual([
      `listening on ${server.baseUrl}`,
      "SIGTERM: finishing requests and attempts; a second signal ends the process at once",
    ]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(idsOf(events, "operation.accepted")).toEqual(replies.map(({ operationId }) => operationId).sort());
    expect(idsOf(events, "operation.completed")).toEqual(idsOf(events, "operation.started"));
  });

  it("answers a request that it has started to read, and refuses new connections", async () => {
    const server = await start("1");
    const begun = await beginRequest(server.baseUrl);
    await server.beginStop();
    await expect(fetch(server.baseUrl)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    begun.sendRest();
    const response = await begun.response;
    expect(response.statusCode).toBe(202);
    expect(response.headers.connection).toBe("close");
    expect(JSON.parse(await text(response))).toMatchObject({ status: "pending" });
    expect((await server.exited).code).toBe(0);
  });

  it.each([
    ["SIGTERM", "SIGTERM", 143],
    ["SIGTERM", "SIGINT", 130],
    ["SIGINT", "SIGTERM", 143],
  ] as const)("exits immediately when %s is followed by %s", async (first, second, exitCode) => {
    const server = await start(FOREVER);
    await createOrdersClient(server.baseUrl).accepted(order);
    await untilLogged(server.stdout, "operation.started");
    server.signal(first);
    await server.stderr.find((line) => line.startsWith(`${first}: `));
    server.signal(second);
    expect((await server.exited).code).toBe(exitCode);
    expect(idsOf(eventsOf(server.stdout), "operation.released")).toEqual([]);
  });
}

/** Declares the test of the end of the server's grace period, which is 10 seconds. */
export function declareShutdownGrace(startServer: StartServer): void {
  const start = (workMs: string) => startForTest({ LOG: "json", WORK_MS: workMs }, startServer);

  it("starts no more work, and after the grace period releases running work and resets open requests", async () => {
    const server = await start(FOREVER);
    const client = createOrdersClient(server.baseUrl);
    await Promise.all(Array.from({ length: 15 }, () => client.accepted(order)));
    await untilLogged(server.stdout, "operation.started", 10);
    const begun = await beginRequest(server.baseUrl);
    await server.beginStop();

    expect((await server.exited).code).toBe(0);
    await expect(begun.response).rejects.toMatchObject({ code: "ECONNRESET" });
    const events = eventsOf(server.stdout);
    const started = idsOf(events, "operation.started");
    expect(started).toHaveLength(10);
    expect(idsOf(events, "operation.released")).toEqual(started);
  });
}

/** Posts orders in sequence until the server is gone. */
async function postUntilRefused(baseUrl: string) {
  const client = createOrdersClient(baseUrl);
  const replies: { readonly status: number; readonly operationId: string }[] = [];
  for (;;) {
    // Only requests that were never accepted may fail. The test compares the replies with the log. A request that was
    // already on its way over an open connection when the server began to stop gets a 503.
    const response = await client.submit(order).catch(() => undefined);
    if (response === undefined || response.status === 503) return replies;
    const { operationId } = (await response.json()) as { readonly operationId: string };
    replies.push({ status: response.status, operationId });
  }
}

/**
 * Sends the head of an order, waits for 100 Continue, and sends the first byte of the body. Its `response` rejects if the
 * connection is reset.
 */
async function beginRequest(baseUrl: string) {
  const headers = {
    authorization: "Bearer demo-token",
    "content-type": "application/json",
    "content-length": order.length,
    expect: "100-continue",
  };
  const outgoing = request(`${baseUrl}/orders`, { method: "POST", headers });
  const response = once(outgoing, "response").then(([incoming]) => incoming as IncomingMessage);
  // The connection may be reset before a test awaits the response.
  response.catch(() => {});
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  outgoing.write(order.slice(0, 1));
  return { response, sendRest: () => outgoing.end(order.slice(1)) };
}

function idsOf(events: readonly EventLine[], name: string): readonly (string | undefined)[] {
  return events
    .filter(({ event }) => event === name)
    .map(({ operationId }) => operationId)
    .sort();
}
