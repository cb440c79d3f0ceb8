import { once } from "node:events";
import { connect as openSocket } from "node:net";
import type { Service } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { claimOne } from "../support/claims.js";
import { createEventParser } from "../support/event-reader.js";
import { inside } from "../support/inside.js";
import { createPending, serve, serveHttp2 } from "./node-stage.js";

const accept = "text/event-stream";

function statusesIn(text: string): unknown[] {
  const { received, push } = createEventParser();
  push(text);
  return received.events.map(({ data }) => (JSON.parse(data) as { status: unknown }).status);
}

describe("a stream behind the Node adapter", () => {
  it("ends with the connection for a client of HTTP/1.0", async () => {
    const { service, path, end } = await createPending();
    const connection = (await serve(service)).connect();
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
    const connection = (await serve(service)).connect();
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
    const { client } = await serveHttp2(service);
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
    const { port } = await serve({ ...service, handle: counting });
    const slow = openSocket(port, "127.0.0.1").pause();
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
