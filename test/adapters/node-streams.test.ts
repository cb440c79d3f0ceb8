import { once } from "node:events";
import { connect, createServer } from "node:http2";
import { type AddressInfo, connect as openSocket } from "node:net";
import { allowAnonymous, createMemoryBackend, createOrderService, type Service } from "async-request-reply";
import { type NodeHandler, toNodeHandler } from "async-request-reply/node";
import { afterEach, describe, expect, it } from "vitest";
import { claimOne } from "../support/claims.js";
import { createEventParser } from "../support/event-reader.js";
import { inside } from "../support/inside.js";
import { startServer } from "../support/node-harness.js";

/** `Http2ServerRequest` can be used like `IncomingMessage`, but its types do not say so. */
type Http2Handler = Parameters<typeof createServer>[1] & NodeHandler;

const tenant = "anonymous";
const accept = "text/event-stream";

/** A service with a pending order. */
async function createPending() {
  const backend = createMemoryBackend();
  const service = createOrderService({ authorize: allowAnonymous(), backend });
  const order = { itemId: "pen", quantity: 2 };
  const { operationId } = await service.submit(service.definitions[0], order, { tenant });
  return {
    backend,
    service,
    operationId,
    path: `/operations/${operationId}`,
    end: () => backend.operations.requestCancel(operationId, tenant),
  };
}

function statusesIn(text: string): unknown[] {
  const { received, push } = createEventParser();
  push(text);
  return received.events.map(({ data }) => (JSON.parse(data) as { status: unknown }).status);
}

describe("a stream behind the Node adapter", () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function connectTo(service: Service) {
    const server = await startServer(service);
    closers.push(server.close);
    return server.connect();
  }

  it("ends with the connection for a client of HTTP/1.0", async () => {
    const { service, path, end } = await createPending();
    const connection = await connectTo(service as Service);
    await connection.write(`GET ${path} HTTP/1.0\r\naccept: ${accept}\r\n\r\n`);
    const head = await connection.readUntil("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).not.toMatch(/transfer-encoding|content-length/i);
    const first = await connection.readUntil("}\n\n");
    await end();
    expect(statusesIn(first + (await connection.readUntil("}\n\n")))).toEqual(["pending", "failed"]);
    await connection.closed;
  });

  it("leaves the connection open for the next request of HTTP/1.1", async () => {
    const { service, path, end } = await createPending();
    const connection = await connectTo(service as Service);
    const get = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n`;
    await connection.write(`${get}accept: ${accept}\r\n\r\n`);
    const begun = await connection.readUntil("}\n\n");
    await end();
    expect(begun + (await connection.readUntil("0\r\n\r\n"))).toContain('"status":"failed"');
    await connection.write(`${get}\r\n`);
    expect((await connection.read()).status).toBe(200);
    connection.abort();
  });

  it("arrives event by event over HTTP/2, and ends when the service closes", async () => {
    const { service, path } = await createPending();
    const server = createServer(toNodeHandler(service) as Http2Handler).listen(0);
    await once(server, "listening");
    const client = connect(`http://localhost:${(server.address() as AddressInfo).port}`);
    closers.push(
      () => client.destroy(),
      () => server.close(),
    );
    const stream = client.request({ ":path": path, accept });
    const [fields] = (await once(stream, "response")) as [Readonly<Record<string, unknown>>];
    expect(fields).toMatchObject({ ":status": 200, "content-type": accept });
    const [chunk] = (await once(stream, "data")) as [Buffer];
    expect(statusesIn(chunk.toString())).toEqual(["pending"]);
    const ended = once(stream, "end");
    await service.close();
    await ended;
  });

  it("skips states for a client that reads nothing, once the buffers of the connection are full", async () => {
    const { service, backend, operationId, path } = await createPending();
    let chunks = 0;
    const { handle } = service;
    const counting: Service["handle"] = async (request, context) => {
      const { body, ...reply } = await handle(request, context);
      const counted = (async function* () {
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          chunks += 1;
          yield chunk;
        }
      })();
      return { ...reply, body: counted };
    };
    const server = await startServer({ ...service, handle: counting });
    closers.push(server.close);
    const slow = openSocket(server.port, "127.0.0.1").pause();
    await once(slow, "connect");
    slow.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: ${accept}\r\n\r\n`);
    await expect.poll(() => chunks).toBe(1);
    const lease = { operationId, token: "token-of-this-attempt" };
    await claimOne(backend.operations, operationId, { token: lease.token, leaseMs: 60_000 });
    for (let change = 0; change < 1_000; change += 1) {
      const progress = JSON.stringify({ change, padding: "x".repeat(50_000) });
      await backend.operations.renew(lease, { leaseMs: 60_000, progress });
      await inside(service).runtime.pause();
    }
    expect(chunks).toBeLessThan(500);
    slow.destroy();
  });
});
