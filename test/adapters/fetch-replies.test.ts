import { allowAnonymous, createOrderService, type HttpResponse } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/platform/waits.js";
import { request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toRequest } from "../support/fetch-harness.js";
import { signalOf } from "../support/worker-stage.js";
import { watchStream } from "./watched-stream.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Passes a reply of a service through the adapter. */
function responseOf(reply: Partial<HttpResponse>): Promise<Response> {
  const handle = async () => ({ status: 200, headers: {}, ...reply });
  return toFetchHandler({ handle })(new Request("http://localhost/"));
}

/** Streams a body through the adapter. */
async function readerOf(body: AsyncIterable<Uint8Array>) {
  const { body: stream } = await responseOf({ body });
  return stream?.getReader() ?? expect.unreachable("the reply has no body");
}

/** A source that yields the same chunk again and again, and tells whether its reader has ended it. */
function endless(chunk: Uint8Array | Promise<Uint8Array>) {
  const source = {
    isEnded: false,
    async *body(): AsyncIterable<Uint8Array> {
      try {
        for (;;) yield await chunk;
      } finally {
        source.isEnded = true;
      }
    },
  };
  return source;
}

describe("S19: replies of the Fetch adapter", () => {
  it("carry text or bytes, with the fields of the service", async () => {
    for (const body of ["tëxt", encode("tëxt")]) {
      const fields = { "content-type": "a/b", "x-a": "1" };
      const response = await responseOf({ headers: fields, body });
      expect([response.status, [...response.headers]]).toEqual([200, Object.entries(fields)]);
      expect(await response.text()).toBe("tëxt");
    }
  });

  it("have a null body for HEAD, 204 and 304", async () => {
    const handler = toFetchHandler(createOrderService({ authorize: allowAnonymous() }));
    const accepted = await handler(toRequest(submission()));
    const path = accepted.headers.get("location") ?? "";
    const read = await handler(toRequest(request("GET", path)));
    const etag = read.headers.get("etag") ?? "";
    const empty = [
      [200, request("HEAD", path)],
      [404, request("HEAD", "/nothing")],
      [204, request("OPTIONS", path)],
      [304, request("GET", path, { "if-none-match": etag })],
    ] as const;
    for (const [status, wire] of empty) {
      const response = await handler(toRequest(wire));
      expect([response.status, response.body]).toEqual([status, null]);
    }
    const head = await handler(toRequest(request("HEAD", path)));
    expect([...head.headers]).toEqual([...read.headers]);
  });
});

describe("S19: streamed replies of the Fetch adapter", () => {
  it("forward each chunk as it arrives", async () => {
    const maySendSecond = signalOf();
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      await maySendSecond.promise;
      yield encode("second");
    }
    const reader = await readerOf(body());
    expect(await reader.read()).toEqual({ done: false, value: encode("first") });
    maySendSecond.resolve();
    expect(await reader.read()).toEqual({ done: false, value: encode("second") });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it("read at most one chunk ahead", async () => {
    let asked = 0;
    async function* body(): AsyncIterable<Uint8Array> {
      for (;;) {
        asked += 1;
        yield encode("x");
      }
    }
    const reader = await readerOf(body());
    await reader.read();
    await nextTurn();
    expect(asked).toBe(2);
  });

  it("cancel their source if no Response can be built", async () => {
    for (const reply of [{ status: 204 }, { headers: { "x-a": "a\u0000b" } }]) {
      const source = watchStream([]);
      expect((await responseOf({ ...reply, body: source.stream })).status).toBe(500);
      await nextTurn();
      expect(source.isCancelled).toBe(true);
    }
  });

  it("end their source when the client disconnects between two chunks", async () => {
    const source = endless(encode("x"));
    const reader = await readerOf(source.body());
    await reader.read();
    await reader.cancel();
    expect(source.isEnded).toBe(true);
  });

  it("end their source and drop the pending chunk when the client disconnects while waiting for it", async () => {
    const late = signalOf<Uint8Array>();
    const source = endless(late.promise);
    const reader = await readerOf(source.body());
    await nextTurn();
    const cancelling = reader.cancel();
    late.resolve(encode("late"));
    await cancelling;
    expect(source.isEnded).toBe(true);
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it("fail when their source fails, so that a partial reply never looks complete", async () => {
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      throw new Error("the source of the stream failed");
    }
    const response = await responseOf({ body: body() });
    await expect(response.text()).rejects.toThrow("the source of the stream failed");
  });
});
