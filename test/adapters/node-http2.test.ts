import { once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { text } from "node:stream/consumers";
import { allowAnonymous, createOrderService } from "async-request-reply";
import { beforeEach, describe, expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { serveHttp2 } from "./node-stage.js";

describe("the Node adapter on HTTP/2", () => {
  let client: ClientHttp2Session;
  beforeEach(async () => {
    const service = createOrderService({ authorize: allowAnonymous(), maxBodyBytes: 1_000 });
    ({ client } = await serveHttp2(service));
  });

  async function send(fields: Readonly<Record<string, string>>, body?: string) {
    const stream = client.request(fields, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
    return { status: headers[":status"], body: await text(stream) };
  }

  const post = { ":method": "POST", ":path": "/orders", "content-type": "application/json" };

  it("reads a body without Content-Length", async () => {
    expect(await send(post, ORDER)).toMatchObject({ status: 202 });
  });

  it("reads a body with Content-Length", async () => {
    const fields = { ...post, "content-length": String(ORDER.length) };
    expect(await send(fields, ORDER)).toMatchObject({ status: 202 });
  });

  it("refuses a body over the limit, and a missing body", async () => {
    expect(await send(post, "x".repeat(1_001))).toMatchObject({ status: 413 });
    expect(await send(post)).toMatchObject({ status: 400 });
  });

  it("answers a request without a body", async () => {
    expect(await send({ ":method": "GET", ":path": "/operations/1" })).toMatchObject({ status: 404 });
  });
});
