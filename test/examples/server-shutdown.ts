import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { type EventLine, eventsOf, untilLogged } from "./event-lines.js";
import { createOrdersClient } from "./orders-client.js";
import type { ServerProcess, StartServer } from "./server-process.js";

const FOREVER = "600000";
const order = JSON.stringify({ itemId: "book", quantity: 1 });

/** Declares the tests of how the example server ends, whatever its back end is. */
export function declareServerShutdown(startServer: StartServer): void {
  const start = starting(startServer);

  it("finishes under load what has begun, answers whom it accepted, and exits with 0", async () => {
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
      "SIGTERM: finishing requests and attempts in progress; a second signal ends the process at once",
    ]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect(idsOf(events, "operation.accepted")).toEqual(replies.map(({ operationId }) => operationId).sort());
    expect(idsOf(events, "operation.completed")).toEqual(idsOf(events, "operation.started"));
  });

  it("answers a request that it has begun to read, and refuses new connections", async () => {
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
  ] as const)("ends at once when after %s comes %s", async (first, second, exitCode) => {
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

/** Declares the test of what happens after the server's grace, which is 10 seconds. */
export function declareShutdownGrace(startServer: StartServer): void {
  const start = starting(startServer);

  it("begins nothing more, and after its grace gives back what still runs and cuts off who still sends", async () => {
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

/** Starts a server that ends with the test. */
function starting(startServer: StartServer): (workMs: string) => Promise<ServerProcess> {
  return async (workMs) => {
    const server = await startServer({ LOG: "json", WORK_MS: workMs });
    onTestFinished(() => server.kill());
    return server;
  };
}

interface Reply {
  readonly status: number;
  readonly operationId: string;
}

/** Posts one order after the other until the server is gone. */
async function postUntilRefused(baseUrl: string): Promise<readonly Reply[]> {
  const client = createOrdersClient(baseUrl);
  const replies: Reply[] = [];
  for (;;) {
    // Only what was never accepted may fail: the test compares with the log.
    const response = await client.submit(order).catch(() => undefined);
    if (response === undefined) return replies;
    const { operationId } = (await response.json()) as { readonly operationId: string };
    replies.push({ status: response.status, operationId });
  }
}

interface BegunRequest {
  /** Rejects when the connection is cut off. */
  readonly response: Promise<IncomingMessage>;
  sendRest(): void;
}

/** Sends the head and the first byte of an order; resolves when the server has said that it wants the rest. */
async function beginRequest(baseUrl: string): Promise<BegunRequest> {
  const headers = {
    authorization: "Bearer demo-token",
    "content-type": "application/json",
    "content-length": order.length,
    expect: "100-continue",
  };
  const outgoing = request(`${baseUrl}/orders`, { method: "POST", headers });
  const response = once(outgoing, "response").then(([incoming]) => incoming as IncomingMessage);
  // It may be cut off before anybody waits for it.
  response.catch(() => {});
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  outgoing.write(order.slice(0, 1));
  return { response, sendRest: () => void outgoing.end(order.slice(1)) };
}

function idsOf(events: readonly EventLine[], name: string): readonly (string | undefined)[] {
  return events
    .filter(({ event }) => event === name)
    .map(({ operationId }) => operationId)
    .sort();
}
