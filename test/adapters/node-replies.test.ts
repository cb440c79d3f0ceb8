import type { ServerResponse } from "node:http";
import type { HttpResponse } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import type { Mountable } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import type { RawConnection } from "../support/raw-connection.js";
import { signalOf } from "../support/worker-stage.js";
import { serve } from "./node-stage.js";

const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Sends a request, by default a `GET`, to a server that answers it with this reply. */
async function ask(reply: Partial<HttpResponse>, requests = GET): Promise<RawConnection> {
  const { connect } = await serve({ handle: async () => ({ status: 200, headers: {}, ...reply }) });
  const connection = connect();
  await connection.write(requests);
  return connection;
}

describe("replies of the Node adapter", () => {
  it("carry text, bytes or an empty body, with the fields of the service", async () => {
    for (const [body, expected] of [
      ["tëxt", "tëxt"],
      [encode("bytes"), "bytes"],
    ] as const) {
      const reply = await (await ask({ headers: { "x-a": "1" }, body })).read();
      expect(reply.body).toBe(expected);
      expect(reply.headers).toContainEqual(["x-a", "1"]);
    }
    const connection = await ask({ status: 204 }, GET + GET);
    expect((await connection.read()).status).toBe(204);
    expect((await connection.read()).status).toBe(204);
  });

  it("keep what the application has set before, and join its Vary with that of the service", async () => {
    const service: Mountable = { handle: async () => ({ status: 200, headers: { vary: "accept" } }) };
    const handle = toNodeHandler(service);
    const { connect } = await serve(service, () => (req, res) => {
      res.setHeader("access-control-allow-origin", "https://app.example.com");
      res.setHeader("vary", ["Origin", "Cookie"]);
      handle(req, res);
    });
    const connection = connect();
    await connection.write(GET);
    const { headers } = await connection.read();
    expect(headers).toContainEqual(["access-control-allow-origin", "https://app.example.com"]);
    expect(headers.filter(([name]) => name === "vary")).toEqual([["vary", "Origin, Cookie, accept"]]);
  });

  it("forward each chunk of a stream as it arrives", async () => {
    const more = signalOf();
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      await more.promise;
      yield encode(" second");
    }
    const connection = await ask({ body: body() });
    const first = await connection.readUntil("first");
    expect(first).not.toContain("second");
    more.resolve();
    expect(await connection.readUntil("0\r\n\r\n")).toContain("second");
  });

  it("read a stream only as fast as the connection accepts it", async () => {
    const CHUNK = encode("x".repeat(100_000));
    let waiting = 0;
    let reply: ServerResponse | undefined;
    async function* body(): AsyncIterable<Uint8Array> {
      for (let count = 0; count < 200; count += 1) {
        waiting = Math.max(waiting, reply?.writableLength ?? 0);
        yield CHUNK;
      }
    }
    const service: Mountable = { handle: async () => ({ status: 200, headers: {}, body: body() }) };
    const handler = toNodeHandler(service);
    const { connect } = await serve(service, () => (req, res) => {
      reply = res;
      handler(req, res);
    });
    const connection = connect();
    await connection.write(GET);
    expect((await connection.read()).body).toHaveLength(20_000_000);
    // Allows for one chunk read ahead and for the bytes that Node adds to each chunk.
    expect(waiting).toBeLessThan(3 * CHUNK.byteLength);
  });

  it("stop reading a stream when the client disconnects", async () => {
    const ended = signalOf();
    async function* body(): AsyncIterable<Uint8Array> {
      try {
        for (;;) {
          yield encode("x".repeat(1_000));
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended.resolve();
      }
    }
    const connection = await ask({ body: body() });
    await connection.readUntil("xxx");
    connection.abort();
    await expect(ended.promise).resolves.toBeUndefined();
  });

  it("break off when a stream fails, so that a partial reply never looks complete", async () => {
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      throw new Error("the source of the stream failed");
    }
    const connection = await ask({ body: body() });
    await expect(connection.read()).rejects.toThrow("the connection ended");
  });

  it("stream while a long upload is still unread", async () => {
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("event");
    }
    const upload = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n${"x".repeat(100)}`;
    const connection = await ask({ body: body() }, upload);
    expect((await connection.read()).body).toBe("event");
  });
});
