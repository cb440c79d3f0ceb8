import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { allowAnonymous, createOrderService } from "async-request-reply";
import { type NodeHandler, toNodeHandler } from "async-request-reply/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** `Http2ServerRequest` can be used like `IncomingMessage`, but its types do not say so. */
type Http2Handler = Parameters<typeof createServer>[1] & NodeHandler;

describe("the Node adapter on HTTP/2", () => {
  let server: Http2Server;
  let client: ClientHttp2Session;

  beforeEach(async () => {
    const service = createOrderService({ authorize: allowAnonymous(), maxBodyBytes: 1_000 });
    server = createServer(toNodeHandler(service) as Http2Handler).listen(0, "127.0.0.1");
    await once(server, "listening");
    client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(() => {
    client.destroy();
    server.close();
  });

  async function send(
    fields: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<{ readonly status: unknown; readonly body: string }> {
    const stream = client.request(fields, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    return { status: headers[":status"], body: await text(stream) };
  }

  const post = { ":method": "POST", ":path": "/orders", "content-type": "application/json" };

  it("reads a body without Content-Length", async () => {
    expect(await send(post, '{"itemId":"book","quantity":2}')).toMatchObject({ status: 202 });
  });

  it("reads a body with Content-Length", async () => {
    const body = '{"itemId":"book","quantity":2}';
    expect(await send({ ...post, "content-length": String(body.length) }, body)).toMatchObject({
      status: 202,
    });
  });

  it("refuses a body over the limit, and a missing body", async () => {
    expect(await send(post, "x".repeat(1_001))).toMatchObject({ status: 413 });
    expect(await send(post)).toMatchObject({ status: 400 });
  });

  it("answers a request without a body", async () => {
    expect(await send({ ":method": "GET", ":path": "/operations/1" })).toMatchObject({ status: 404 });
  });
});
