import type { ServerResponse } from "node:http";
import type { HttpResponse } from "async-request-reply";
import { toNodeHandler } from "async-request-reply/node";
import type { Mountable } from "async-request-reply/ports";
import { afterEach, describe, expect, it } from "vitest";
import { type RunningServer, startServer } from "../support/node-harness.js";

const running: RunningServer[] = [];
afterEach(async () => {
  for (const { close } of running.splice(0)) await close();
});

/** Starts a server that answers every request with this reply. */
async function serve(reply: HttpResponse): Promise<RunningServer> {
  const service: Mountable = { handle: async () => reply };
  const server = await startServer(service);
  running.push(server);
  return server;
}

const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A signal between a test and a stream. */
function createSignal(): { readonly given: Promise<void>; give(): void } {
  let give: () => void = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

describe("replies of the Node adapter", () => {
  it("carry text, bytes or an empty body, with the fields of the service", async () => {
    for (const [body, expected] of [
      ["tëxt", "tëxt"],
      [encode("bytes"), "bytes"],
    ] as const) {
      const { connect } = await serve({ status: 200, headers: { "x-a": "1" }, body });
      const connection = connect();
      await connection.write(GET);
      const reply = await connection.read();
      expect(reply.body).toBe(expected);
      expect(reply.headers).toContainEqual(["x-a", "1"]);
    }
    const { connect } = await serve({ status: 204, headers: {} });
    const connection = connect();
    await connection.write(GET + GET);
    expect((await connection.read()).status).toBe(204);
    expect((await connection.read()).status).toBe(204);
  });

  it("keep what the application has set before, and join its Vary with that of the service", async () => {
    const service: Mountable = { handle: async () => ({ status: 200, headers: { vary: "accept" } }) };
    const handle = toNodeHandler(service);
    const server = await startServer(service, () => (req, res) => {
      res.setHeader("access-control-allow-origin", "https://app.example.com");
      res.setHeader("vary", ["Origin", "Cookie"]);
      handle(req, res);
    });
    running.push(server);
    const connection = server.connect();
    await connection.write(GET);
    const { headers } = await connection.read();
    expect(headers).toContainEqual(["access-control-allow-origin", "https://app.example.com"]);
    expect(headers.filter(([name]) => name === "vary")).toEqual([["vary", "Origin, Cookie, accept"]]);
  });

  it("forward each chunk of a stream as it arrives", async () => {
    const { given, give } = createSignal();
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      await given;
      yield encode(" second");
    }
    const { connect } = await serve({ status: 200, headers: {}, body: body() });
    const connection = connect();
    await connection.write(`${GET}`);
    const first = await connection.readUntil("first");
    expect(first).not.toContain("second");
    give();
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
    const handler = toNodeHandler({
      handle: async () => ({ status: 200, headers: {}, body: body() }),
    });
    const server = await startServer({ handle: async () => ({ status: 204, headers: {} }) }, () => {
      return (req, res) => {
        reply = res;
        handler(req, res);
      };
    });
    running.push(server);
    const connection = server.connect();
    await connection.write(GET);
    expect((await connection.read()).body).toHaveLength(20_000_000);
    // Allows for one chunk read ahead and for the bytes that Node adds to each chunk.
    expect(waiting).toBeLessThan(3 * CHUNK.byteLength);
  });

  it("stop reading a stream when the client disconnects", async () => {
    const { given, give } = createSignal();
    async function* body(): AsyncIterable<Uint8Array> {
      try {
        for (;;) {
          yield encode("x".repeat(1_000));
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        give();
      }
    }
    const { connect } = await serve({ status: 200, headers: {}, body: body() });
    const connection = connect();
    await connection.write(GET);
    await connection.readUntil("xxx");
    connection.abort();
    await expect(given).resolves.toBeUndefined();
  });

  it("break off when a stream fails, so that a partial reply never looks complete", async () => {
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      throw new Error("the source of the stream failed");
    }
    const { connect } = await serve({ status: 200, headers: {}, body: body() });
    const connection = connect();
    await connection.write(GET);
    await expect(connection.read()).rejects.toThrow("the connection ended");
  });

  it("stream while a long upload is still unread", async () => {
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("event");
    }
    const { connect } = await serve({ status: 200, headers: {}, body: body() });
    const connection = connect();
    const upload = "x".repeat(100);
    await connection.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n${upload}`);
    expect((await connection.read()).body).toBe("event");
  });
});
