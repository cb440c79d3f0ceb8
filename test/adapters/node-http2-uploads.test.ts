import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { text } from "node:stream/consumers";
import { bearer, createOrderService } from "async-request-reply";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { serveHttp2 } from "./node-stage.js";

const MIB = 1_048_576;
/** The server discards at most 16 MiB. The rest may be on its way when it stops. */
const MOST_BYTES = 16 * MIB + 2 * MIB;

let server: Http2Server;
let client: ClientHttp2Session;
/** The server's side of the connection. */
let session: ServerHttp2Session;
const warnings: string[] = [];

beforeEach(async () => {
  const warned = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const authorize = bearer({ token: "a" });
  ({ server, client } = await serveHttp2(
    createOrderService({ authorize, maxBodyBytes: 1_000, bodyTimeoutMs: 100, observe: false }),
  ));
  [session] = (await once(server, "session")) as [ServerHttp2Session];
});

function upload(fields: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
  return client.request({
    ":method": "POST",
    ":path": "/orders",
    "content-type": "application/json",
    authorization: "Bearer token",
    ...fields,
  });
}

/** Sends as much as the server takes, until it closes the stream. Never ends the body. */
function sendWithoutEnd(stream: ClientHttp2Stream): void {
  const chunk = Buffer.alloc(65_536, "x");
  const send = (): void => {
    while (!stream.closed && stream.write(chunk));
  };
  stream.on("drain", send);
  send();
}

async function readReply(stream: ClientHttp2Stream): Promise<{ status: unknown; problem: unknown }> {
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  expect(headers.connection).toBeUndefined();
  return { status: headers[":status"], problem: JSON.parse(await text(stream)) };
}

async function closed(stream: ClientHttp2Stream): Promise<number | undefined> {
  if (!stream.closed) await once(stream, "close");
  return stream.rstCode;
}

const refusals = [
  ["the body is too large", {}, 413],
  ["the credentials are wrong", { authorization: "Bearer wrong" }, 401],
] as const;

describe("an upload over HTTP/2 that does not end", () => {
  it.each(refusals)("gets its reply and is cut after 16 MiB if %s", async (_, fields, status) => {
    const stream = upload(fields);
    const before = session.socket.bytesRead;
    sendWithoutEnd(stream);
    expect(await readReply(stream)).toMatchObject({ status, problem: { status } });
    expect(await closed(stream)).toBe(0);
    expect((session.socket.bytesRead ?? 0) - (before ?? 0)).toBeLessThan(MOST_BYTES);
    const next = client.request({ ":path": "/operations/1", authorization: "Bearer token" });
    expect(await readReply(next)).toMatchObject({ status: 404 });
    expect(warnings).toEqual([]);
  });

  it.each([
    ["413 for a declared length", { "content-length": "2000" }, 413],
    ["401 for a short body", { "content-length": "1000", authorization: "Bearer wrong" }, 401],
    ["408", {}, 408],
  ] as const)("is closed if its client sends nothing more: %s", async (_, fields, status) => {
    const stream = upload(fields);
    stream.write("x");
    expect(await readReply(stream)).toMatchObject({ status, problem: { status } });
    expect(await closed(stream)).toBe(0);
    expect(warnings).toEqual([]);
  });
});

describe("an upload over HTTP/2 whose client does not read its reply", () => {
  it("is closed too", async () => {
    client.settings({ initialWindowSize: 0 });
    await once(session, "remoteSettings");
    const stream = upload().on("error", () => {});
    sendWithoutEnd(stream);
    expect(await closed(stream)).toBe(constants.NGHTTP2_CANCEL);
  });
});

describe("an upload over HTTP/2 that ends", () => {
  it.each(refusals)("gets its reply, and is read to its end if %s", async (_, fields, status) => {
    const received = once(server, "stream");
    const stream = upload(fields);
    stream.end(Buffer.alloc(MIB, "x"));
    const [other] = (await received) as [ServerHttp2Stream];
    const otherClosed = once(other, "close");
    expect(await readReply(stream)).toMatchObject({ status });
    await otherClosed;
    expect([other.rstCode, other.aborted]).toEqual([0, false]);
    expect(session.socket.bytesRead).toBeGreaterThan(MIB);
  });
});
