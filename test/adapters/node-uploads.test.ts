import type { IncomingMessage, ServerResponse } from "node:http";
import { bearer, createMemoryBackend, createOrderService } from "async-request-reply";
import { describe, expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { serve } from "./node-stage.js";

const CHUNK = "x".repeat(16_384);
const CHUNK_ON_THE_WIRE = `${CHUNK.length.toString(16)}\r\n${CHUNK}\r\n`;

/** Starts an order service and exposes the server's requests and the service's refusals. */
async function start() {
  const backend = createMemoryBackend();
  const refusals: string[] = [];
  const service = createOrderService({
    backend,
    authorize: bearer({ token: "a" }),
    observe: (event) => event.event === "request.refused" && refusals.push(event.code),
  });
  const { server, connect } = await serve(service);
  const exchanges: { readonly req: IncomingMessage; readonly res: ServerResponse }[] = [];
  server.on("request", (req, res) => exchanges.push({ req, res }));
  const recorded = async () => (await backend.operations.list({ internal: true, limit: 1_000 })).length;
  return { connect, exchanges, refusals, recorded };
}

function head(fields: readonly string[], { method = "POST", token = "token" } = {}): string {
  const common = [`${method} /orders HTTP/1.1`, "host: a", `authorization: Bearer ${token}`];
  return [...common, "content-type: application/json", ...fields, "", ""].join("\r\n");
}

const chunked = "transfer-encoding: chunked";
const declared = (bytes: number): string => `content-length: ${bytes}`;

describe("slow uploads", () => {
  it("block no other client and bind no key, whether they stop in the header fields or in the body", async () => {
    const { connect, recorded, refusals } = await start();
    const slow = Array.from({ length: 200 }, () => connect());
    const cut = Array.from({ length: 60 }, () => connect());
    const keyOf = (index: number): string => `idempotency-key: key-${index}`;
    const headOf = (index: number): string => head([keyOf(index), declared(ORDER.length)]);
    await Promise.all(slow.map(({ write }, index) => write(headOf(index).slice(0, -5))));
    await Promise.all(cut.map(({ write }, index) => write(headOf(index) + ORDER.slice(0, -1))));
    const other = connect();
    await other.write(head([declared(ORDER.length)]) + ORDER);
    expect((await other.read("POST")).status).toBe(202);

    for (const connection of [...slow, ...cut]) connection.abort();
    await expect.poll(() => refusals.length).toBeGreaterThanOrEqual(cut.length);
    expect(new Set(refusals)).toEqual(new Set(["BODY_ABORTED"]));
    expect(await recorded()).toBe(1);
    const otherPayload = '{"itemId":"pen","quantity":1}';
    await other.write(head([keyOf(0), declared(otherPayload.length)]) + otherPayload);
    const reply = await other.read("POST");
    expect(reply.status).toBe(202);
    expect(reply.headers.map(([name]) => name)).not.toContain("idempotent-replayed");
  });
});

describe("uploads that are too large", () => {
  it("get 413 at the limit, and only a small part of 10 MB without a declared length is kept in memory", async () => {
    const { connect, exchanges, recorded } = await start();
    const connection = connect();
    await connection.write(head([chunked]));
    let held = 0;
    for (let sent = 0; sent < 10_000_000; sent += CHUNK.length) {
      await connection.write(CHUNK_ON_THE_WIRE);
      held = Math.max(held, exchanges[0]?.req.readableLength ?? 0);
    }
    await connection.write("0\r\n\r\n");
    const reply = await connection.read("POST");
    expect(reply.status).toBe(413);
    expect(reply.headers).toContainEqual(["connection", "close"]);
    await connection.closed;
    expect(held).toBeLessThan(500_000);
    expect(await recorded()).toBe(0);
  });

  it("get a complete reply even if they never end, and are then closed", async () => {
    const { connect, exchanges } = await start();
    const tenGigabytes = head([declared(10_000_000_000)]) + CHUNK;
    const unauthorized = head([chunked], { token: "wrong" }) + CHUNK_ON_THE_WIRE;
    const closings: Promise<void>[] = [];
    for (const [upload, status] of [
      [tenGigabytes, 413],
      [unauthorized, 401],
    ] as const) {
      const connection = connect();
      await connection.write(upload);
      const reply = await connection.read("POST");
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.body)).toMatchObject({ status });
      // The connection is still open: closing it now could lose the reply of a client that is still sending.
      expect(exchanges.at(-1)?.res.writableEnded).toBe(false);
      closings.push(connection.closed);
    }
    // The server closes the connections itself and has read only the bytes that were sent.
    await Promise.all(closings);
    const read = exchanges.map(({ req }) => req.socket.bytesRead);
    expect(read).toEqual([tenGigabytes.length, unauthorized.length]);
  });
});

describe("uploads that the service does not read", () => {
  it.each([
    ["HEAD", 405],
    ["OPTIONS", 204],
  ])("get a reply without content immediately: %s", async (method, status) => {
    const { connect, exchanges } = await start();
    const connection = connect();
    await connection.write(head([chunked], { method }) + CHUNK_ON_THE_WIRE);
    expect((await connection.read(method)).status).toBe(status);
    // A reply that waited for the end of the upload would have ended by now.
    expect(exchanges[0]?.res.writableEnded).toBe(false);
    await connection.write("0\r\n\r\n");
    await connection.closed;
  });
});
