import { type EventEmitter, once } from "node:events";
import { type Authorize, allowAnonymous, type Service } from "async-request-reply";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGate } from "../support/adapter-suite/fixtures/gate.js";
import { inside } from "../support/inside.js";
import { createPending, serve, serveHttp2 } from "./node-stage.js";
import { watchStream } from "./watched-stream.js";

/** Node reads no more requests of a connection once about 16 KB of replies wait behind the first one. */
const COUNT = 20;
const WAIT = "prefer: wait=20";
const STREAM = "accept: text/event-stream";

/** Counts the requests that a service has received, and the replies that it has created. */
function counted(service: Service) {
  const counts = { received: 0, replied: 0 };
  const handle: Service["handle"] = async (request, context) => {
    counts.received += 1;
    const reply = await service.handle(request, context);
    counts.replied += 1;
    return reply;
  };
  return { counts, mountable: { ...service, handle } };
}

const get = (path: string, field: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n${field}\r\n\r\n`;

describe("requests that are pipelined on one connection", () => {
  it.each([
    ["waits", WAIT],
    ["streams", STREAM],
  ])("hold one place, and none after the client disconnects: %s", async (_, field) => {
    const { service, path } = await createPending();
    const { counts, mountable } = counted(service);
    const { connect: open, server } = await serve(mountable);
    const connection = open();
    await connection.write(get(path, field).repeat(COUNT));
    await expect.poll(() => counts.received).toBe(COUNT);
    await expect.poll(() => counts.replied).toBeGreaterThanOrEqual(COUNT - 1);
    expect(inside(service).hub.waiters).toBe(1);
    connection.abort();
    await expect.poll(() => inside(service).hub.waiters).toBe(0);
    await expect.poll(() => counts.replied).toBe(COUNT);
    await new Promise((resolve) => server.getConnections((__, count) => resolve(expect(count).toBe(0))));
  });

  it("release streams that your code returned when the client disconnects", async () => {
    const { service } = await createPending();
    const streams = Array.from({ length: COUNT }, () => watchStream([], { end: "stall" }));
    const unused = streams.values();
    const handle: Service["handle"] = async () => {
      const body = unused.next().value?.stream as ReadableStream<Uint8Array>;
      return { status: 200, headers: {}, body };
    };
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const connection = (await serve({ ...service, handle })).connect();
    await connection.write(get("/", WAIT).repeat(COUNT));
    await Promise.all(streams.map(({ stalled }) => stalled));
    connection.abort();
    await expect.poll(() => streams.filter(({ isCancelled }) => isCancelled).length).toBe(COUNT);
    expect(warnings).toEqual([]);
  });

  it("are answered in order, and only the first one waits", async () => {
    const { service, path, end } = await createPending();
    const { counts, mountable } = counted(service);
    const connection = (await serve(mountable)).connect();
    await connection.write(get(path, WAIT).repeat(2) + get(path, STREAM));
    await expect.poll(() => [counts.replied, inside(service).hub.waiters]).toEqual([2, 1]);
    await end();
    const [first, second] = [await connection.read(), await connection.read()];
    expect(first.body).toContain('"failed"');
    expect(first.headers).toContainEqual(["preference-applied", "wait=20"]);
    // It was answered at once, as if it had not asked to wait.
    expect(second.body).toContain('"pending"');
    expect(second.headers.map(([name]) => name)).not.toContain("preference-applied");
    const third = await connection.read();
    expect(third.headers).toContainEqual(["content-length", String(third.body.length)]);
    expect(third.body).toContain('"pending"');
    // A request that comes after the replies waits again.
    await connection.write(get(path, WAIT));
    expect((await connection.read()).body).toContain('"failed"');
    connection.abort();
  });
});

describe.each([
  ["wait", { prefer: "wait=600" }],
  ["stream", { accept: "text/event-stream" }],
])("a request over HTTP/2: %s", (_, fields) => {
  it("frees its place when the client resets it", async () => {
    const { service, path } = await createPending({ maxWaitMs: 600_000 });
    const { client } = await serveHttp2(service);
    const request = client.request({ ":path": path, ...fields }).on("error", () => {});
    await expect.poll(() => inside(service).hub.waiters).toBe(1);
    request.close();
    await expect.poll(() => inside(service).hub.waiters).toBe(0);
  });

  it("takes no place if its client is gone before it is authorized", async () => {
    const gate = createGate();
    const anonymous = allowAnonymous();
    const authorize: Authorize = async (...call) => {
      await gate.pass();
      return anonymous(...call);
    };
    const { service, path } = await createPending({ authorize, maxWaitMs: 600_000 });
    const { counts, mountable } = counted(service);
    const { server, client } = await serveHttp2(mountable);
    const streamOfServer = once(server, "stream");
    const request = client.request({ ":path": path, ...fields }).on("error", () => {});
    const [stream] = await streamOfServer;
    await gate.reached;
    const closed = once(stream as EventEmitter, "close");
    request.close();
    await closed;
    gate.open();
    await expect.poll(() => counts.replied).toBe(1);
    expect(inside(service).hub.waiters).toBe(0);
  });
});
