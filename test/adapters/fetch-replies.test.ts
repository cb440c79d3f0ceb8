import { allowAnonymous, createOrderService, type HttpResponse } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/platform/waits.js";
import { request, submission } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { toRequest } from "../support/fetch-harness.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Passes a reply of a service through the adapter. */
function responseOf(reply: HttpResponse): Promise<Response> {
  return toFetchHandler({ handle: async () => reply })(new Request("http://localhost/"));
}

describe("S19: replies of the Fetch adapter", () => {
  it("carry text or bytes, with the fields of the service", async () => {
    for (const body of ["tëxt", encode("tëxt")]) {
      const response = await responseOf({
        status: 200,
        headers: { "x-a": "1", "content-type": "a/b" },
        body,
      });
      expect([response.status, [...response.headers]]).toEqual([
        200,
        [
          ["content-type", "a/b"],
          ["x-a", "1"],
        ],
      ]);
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
    let sendSecond: () => void = () => {};
    const maySendSecond = new Promise<void>((resolve) => {
      sendSecond = resolve;
    });
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      await maySendSecond;
      yield encode("second");
    }
    const reader = (await responseOf({ status: 200, headers: {}, body: body() })).body?.getReader();
    expect(await reader?.read()).toEqual({ done: false, value: encode("first") });
    sendSecond();
    expect(await reader?.read()).toEqual({ done: false, value: encode("second") });
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it("read at most one chunk ahead", async () => {
    let asked = 0;
    async function* body(): AsyncIterable<Uint8Array> {
      for (;;) {
        asked += 1;
        yield encode("x");
      }
    }
    const reader = (await responseOf({ status: 200, headers: {}, body: body() })).body?.getReader();
    await reader?.read();
    await nextTurn();
    expect(asked).toBe(2);
  });

  it("cancel their source if no Response can be built", async () => {
    for (const reply of [
      { status: 204, headers: {} },
      { status: 200, headers: { "x-a": "a\u0000b" } },
    ]) {
      let isCancelled = false;
      const body = new ReadableStream<Uint8Array>({
        cancel: () => {
          isCancelled = true;
        },
      });
      expect((await responseOf({ ...reply, body })).status).toBe(500);
      await nextTurn();
      expect(isCancelled).toBe(true);
    }
  });

  it("end their source when the client disconnects between two chunks", async () => {
    let isEnded = false;
    async function* body(): AsyncIterable<Uint8Array> {
      try {
        for (;;) yield encode("x");
      } finally {
        isEnded = true;
      }
    }
    const reader = (await responseOf({ status: 200, headers: {}, body: body() })).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(isEnded).toBe(true);
  });

  it("end their source and drop the pending chunk when the client disconnects while waiting for it", async () => {
    let give: (chunk: Uint8Array) => void = () => {};
    let isEnded = false;
    async function* body(): AsyncIterable<Uint8Array> {
      try {
        for (;;)
          yield await new Promise<Uint8Array>((resolve) => {
            give = resolve;
          });
      } finally {
        isEnded = true;
      }
    }
    const reader = (await responseOf({ status: 200, headers: {}, body: body() })).body?.getReader();
    await nextTurn();
    const cancelling = reader?.cancel();
    give(encode("late"));
    await cancelling;
    expect(isEnded).toBe(true);
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it("fail when their source fails, so that a partial reply never looks complete", async () => {
    async function* body(): AsyncIterable<Uint8Array> {
      yield encode("first");
      throw new Error("the source of the stream failed");
    }
    const response = await responseOf({ status: 200, headers: {}, body: body() });
    await expect(response.text()).rejects.toThrow("the source of the stream failed");
  });
});
