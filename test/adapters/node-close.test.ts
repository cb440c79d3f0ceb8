import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import { type Authorize, allowAnonymous, createWorker, type Service } from "async-request-reply";
import { closeServer, toNodeHandler } from "async-request-reply/node";
import express from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { inside } from "../support/inside.js";
import { openRawConnection, type RawConnection, type RawReply } from "../support/raw-connection.js";
import { isSettled } from "../support/waiting-service.js";
import { createPending, listen, serveHttp2 } from "./node-stage.js";

const POST = `POST /orders HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${ORDER.length}\r\n\r\n${ORDER}`;
const GET = "GET /operations/1 HTTP/1.1\r\nhost: a\r\n\r\n";
/** Longer than any test. */
const FOREVER_MS = 3_600_000;

/** A service with a pending order, whose `authorize` waits for `go` if the request has the field `x-wait`. */
async function createGated() {
  const gate = new EventEmitter();
  const anonymous = allowAnonymous();
  const authorize: Authorize = async (request, authorization) => {
    if (request.header("x-wait") !== undefined) {
      const go = once(gate, "go");
      gate.emit("asked");
      await go;
    }
    return anonymous(request, authorization);
  };
  return { gate, ...(await createPending({ authorize })) };
}

/** Starts a server whose idle connections stay open. Requests that fall through wait for `answer`. */
async function start(service: Service) {
  const application = new EventEmitter();
  const handle = toNodeHandler(service, { fallthrough: true });
  const server = createServer((req, res) =>
    handle(req, res, () => {
      application.once("answer", () => res.end("the application"));
      application.emit("asked");
    }),
  );
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return { server, application, connect: () => openRawConnection(port) };
}

const closes = ({ headers }: RawReply): boolean =>
  headers.some(([name, value]) => name === "connection" && value === "close");

/** Sends requests on one connection until it is closed. Returns the statuses of the replies. */
async function repeat(connection: RawConnection, request: string): Promise<number[]> {
  const statuses: number[] = [];
  for (;;) {
    await connection.write(request);
    const reply = await connection.read("POST").catch(() => undefined);
    if (reply === undefined) return statuses;
    statuses.push(reply.status);
  }
}

describe("a service that closes", () => {
  it("closes the connection of each reply, over HTTP/1.1", async () => {
    const { gate, service, path } = await createGated();
    const { connect: open } = await start(service);
    const [kept, running, waiting] = [open(), open(), open()];
    await kept.write(GET);
    expect(closes(await kept.read())).toBe(false);
    const asked = once(gate, "asked");
    await running.write(POST.replace("host: a", "host: a\r\nx-wait: 1"));
    await asked;
    await waiting.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nprefer: wait=20\r\n\r\n`);
    await expect.poll(() => inside(service).hub.waiters).toBe(1);

    const closed = service.close();
    await kept.write(GET);
    const refused = await kept.read();
    expect([refused.status, closes(refused)]).toEqual([503, true]);
    const waited = await waiting.read();
    expect([waited.status, closes(waited)]).toEqual([200, true]);
    gate.emit("go");
    const finished = await running.read("POST");
    expect([finished.status, closes(finished)]).toEqual([202, true]);
    await Promise.all([closed, kept.closed, running.closed, waiting.closed]);
  });

  it("closes the session of each reply, over HTTP/2", async () => {
    const { service } = await createGated();
    const { client } = await serveHttp2(service);
    await once(client, "connect");
    await service.close();
    const sessionClosed = once(client, "close");
    const stream = client.request({ ":path": "/operations/1" });
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    expect([headers[":status"], headers.connection]).toEqual([503, undefined]);
    stream.resume();
    await sessionClosed;
  });
});

describe("closeServer", () => {
  it("ends with the requests in progress, although clients keep their connections and send on", async () => {
    const { gate, service } = await createGated();
    const { server, application, connect: open } = await start(service);
    const statuses: number[][] = [];
    const busy = Array.from({ length: 4 }, async () => statuses.push(await repeat(open(), POST)));
    const running = open();
    const asked = once(gate, "asked");
    await running.write(POST.replace("host: a", "host: a\r\nx-wait: 1"));
    await asked;
    const other = open();
    const otherAsked = once(application, "asked");
    await other.write("GET /other HTTP/1.1\r\nhost: a\r\n\r\n");
    await otherAsked;

    const closed = closeServer(server, service, { graceMs: FOREVER_MS });
    await Promise.all(busy);
    expect(new Set(statuses.flat())).toEqual(new Set([202]));
    gate.emit("go");
    expect((await running.read("POST")).status).toBe(202);
    expect(await isSettled(closed)).toBe(false);
    application.emit("answer");
    expect((await other.read()).body).toBe("the application");
    await closed;
    await other.closed;
  });

  it("ends streams, and then their connections", async () => {
    const { service, path } = await createGated();
    const { server, connect: open } = await start(service);
    const connection = open();
    await connection.write(`GET ${path} HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\n\r\n`);
    await connection.readUntil('"pending"');
    expect(inside(service).hub.waiters).toBe(1);
    await closeServer(server, service, { graceMs: FOREVER_MS });
    await connection.closed;
  });

  it("closes every connection after the grace period", async () => {
    const { service } = await createGated();
    const { server, connect: open } = await start(service);
    const connection = open();
    const begun = once(server, "request");
    await connection.write(POST.slice(0, -1));
    await begun;
    await closeServer(server, service, { graceMs: 50 });
    await expect(connection.read("POST")).rejects.toThrow("the connection ended");
  });

  it("closes the sessions of HTTP/2", async () => {
    const { gate, service } = await createGated();
    const { server, client } = await serveHttp2(service);
    const asked = once(gate, "asked");
    const stream = client.request({ ":path": "/operations/1", "x-wait": "1" });
    await asked;
    const closed = closeServer(server, service, { graceMs: FOREVER_MS });
    const refused = client.request({ ":path": "/operations/1" });
    expect((await once(refused, "response"))[0]).toMatchObject({ ":status": 503 });
    gate.emit("go");
    expect((await once(stream, "response"))[0]).toMatchObject({ ":status": 404 });
    stream.resume();
    refused.resume();
    await closed;
  });

  it("lets the work of a worker finish, and can be called again", async () => {
    const { service } = await createPending();
    const work = new EventEmitter();
    const worker = createWorker(service, {
      orders: async () => {
        const finish = once(work, "finish");
        work.emit("begun");
        await finish;
        work.emit("ended");
      },
    });
    const begun = once(work, "begun");
    await worker.start();
    const { server } = await start(service);
    await begun;
    const ended = vi.fn();
    work.once("ended", ended);
    const closed = Promise.all([closeServer(server, service), closeServer(server, service)]);
    work.emit("finish");
    await closed;
    expect(ended).toHaveBeenCalledOnce();
  });

  const noServer =
    "closeServer() takes a server of Node, such as that of http.createServer() or app.listen(), not";

  it.each([
    ["no server", {}, {}, `${noServer} an object.`],
    ["an application of Express, which is no server", express(), {}, `${noServer} a function.`],
    ["an unknown option", undefined, { grace: 1 }, "Unknown option `grace` of closeServer."],
    [
      "a wrong time",
      undefined,
      { graceMs: 0 },
      "Option `graceMs` must be a whole number greater than 0, not 0.",
    ],
  ])("refuses %s", async (_, server, options, message) => {
    const given = (server ?? createServer()) as Server;
    const { service } = await createPending();
    const closing = closeServer(given, service, options as object);
    await expect(closing).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining(message),
    });
  });
});
