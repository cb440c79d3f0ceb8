import { allowAnonymous, createMemoryBackend, createOrderService } from "async-request-reply";
import { beforeEach, describe, expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import type { RawConnection } from "../support/raw-connection.js";
import { serve } from "./node-stage.js";

// Framing is up to the server's parser. Two parsers could read each of these as one request or as two
// (request smuggling). The parser refuses them, and nothing is recorded.

const post = (fields: string, body: string): string =>
  `POST /orders HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${fields}\r\n\r\n${body}`;
const HIDDEN = post(`content-length: ${ORDER.length}`, ORDER);
const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const TWO = chunked(ORDER) + HIDDEN;

const ambiguous: readonly (readonly [what: string, fields: string, body: string])[] = [
  ["a length and a transfer coding", "content-length: 4\r\ntransfer-encoding: chunked", TWO],
  ["a transfer coding and a length", "transfer-encoding: chunked\r\ncontent-length: 4", TWO],
  ["two lengths that differ", `content-length: ${ORDER.length}\r\ncontent-length: 1`, ORDER + HIDDEN],
  ["two lengths in one line", `content-length: ${ORDER.length}, 1`, ORDER + HIDDEN],
  ["a length with a sign", `content-length: +${ORDER.length}`, ORDER],
  ["a negative length", "content-length: -1", ORDER],
  ["a length in hexadecimal", "content-length: 0x1e", ORDER],
  ["a length beyond any integer", "content-length: 99999999999999999999999", ORDER],
  ["an unknown transfer coding after chunked", "transfer-encoding: chunked, x", chunked(ORDER)],
  ["a space before the colon", `content-length : ${ORDER.length}`, ORDER],
  ["a lone line feed after a field", `content-length: ${ORDER.length}\nx: y`, ORDER],
  ["a lone carriage return in a field", `content-length: ${ORDER.length}\r\nx: y\rz: 1`, ORDER],
  ["a NUL in a field", `content-length: ${ORDER.length}\r\nx: a\u0000b`, ORDER],
  ["an invalid chunk size", "transfer-encoding: chunked", `zz\r\n${ORDER}\r\n0\r\n\r\n`],
  ["a chunk longer than its size", "transfer-encoding: chunked", `2\r\n${ORDER}\r\n0\r\n\r\n`],
];

const backend = createMemoryBackend();
const service = createOrderService({ backend, authorize: allowAnonymous() });
let connection: RawConnection;
beforeEach(async () => {
  connection = (await serve(service)).connect();
});

async function statusAfter(bytes: string): Promise<number> {
  await connection.write(bytes);
  return (await connection.read("POST")).status;
}

const recorded = () => backend.operations.list({ internal: true, limit: 10 });

describe("ambiguous framing", () => {
  it.each(ambiguous)("is refused, and nothing is recorded: %s", async (_, fields, body) => {
    expect(await statusAfter(post(fields, body))).toBe(400);
    await connection.closed;
    expect(await recorded()).toEqual([]);
  });

  it.each(["gzip, chunked", "x, Chunked"])(
    "is refused with a transfer coding besides chunked, and nothing is recorded: %s",
    async (coding) => {
      expect(await statusAfter(post(`transfer-encoding: ${coding}`, chunked(ORDER)))).toBe(415);
      expect(await recorded()).toEqual([]);
      connection.abort();
    },
  );

  it("is refused if every line ends with a lone line feed", async () => {
    expect(await statusAfter(HIDDEN.replaceAll("\r\n", "\n"))).toBe(400);
    expect(await recorded()).toEqual([]);
  });
});

describe("valid framing", () => {
  it("is accepted, which shows that the refusals above are due to the framing", async () => {
    expect(await statusAfter(HIDDEN)).toBe(202);
    expect(await statusAfter(post("transfer-encoding: chunked", chunked(ORDER)))).toBe(202);
  });

  it("ends a request at its declared length, so that the next bytes are a new request", async () => {
    expect(await statusAfter(`${HIDDEN}GET /operations/1 HTTP/1.1\r\nhost: a\r\n\r\n`)).toBe(202);
    expect((await connection.read("GET")).status).toBe(404);
  });

  it("allows a target in absolute form (RFC 9112 §3.2.2)", async () => {
    expect(await statusAfter(HIDDEN.replace("/orders", "http://shop.example/orders"))).toBe(202);
  });

  it("allows a client to expect 100 Continue before the body (RFC 9110 §10.1.1)", async () => {
    const [head = "", body = ""] = HIDDEN.replace("host: a", "host: a\r\nexpect: 100-continue").split(
      "\r\n\r\n",
    );
    await connection.write(`${head}\r\n\r\n`);
    expect(await statusAfter(body)).toBe(202);
  });
});
