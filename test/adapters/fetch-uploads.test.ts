import {
  allowAnonymous,
  bearer,
  createMemoryBackend,
  createOrderService,
  type OrderServiceOptions,
  type ServiceEvent,
} from "async-request-reply";
import { type FetchHandler, toFetchHandler } from "async-request-reply/fetch";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { type WatchedStream, watchStream } from "./watched-stream.js";

const ORDER = '{"itemId":"book","quantity":2}';
const bytes = new TextEncoder().encode(ORDER);
const CHUNK_BYTES = 16_384;
const MAX_BYTES = 65_536;

/** Orders of principal `a` behind the adapter, and what becomes of them. */
function createOrders(options: Partial<OrderServiceOptions> = {}): {
  readonly handler: FetchHandler;
  /** The codes of all refusals. */
  readonly refusals: readonly string[];
  recorded(): Promise<number>;
} {
  const backend = createMemoryBackend();
  const refusals: string[] = [];
  const observe = (event: ServiceEvent): void => {
    if (event.event === "request.refused") refusals.push(event.code);
  };
  const service = createOrderService({ backend, authorize: bearer({ token: "a" }), observe, ...options });
  return {
    handler: toFetchHandler(service),
    refusals,
    recorded: async () => (await backend.operations.list?.({ internal: true, limit: 10 }))?.length ?? -1,
  };
}

interface Post {
  readonly path?: string;
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A submission whose body is a stream. */
function post({ stream }: Pick<WatchedStream, "stream">, change: Post = {}): Request {
  const { path = "/orders", method = "POST", fields = {}, ...init } = change;
  const headers = { authorization: "Bearer token", "content-type": "application/json", ...fields };
  // `duplex` is not in the types of every platform yet.
  const streaming: RequestInit & { readonly duplex: "half" } = { ...init, body: stream, duplex: "half" };
  return new Request(`http://localhost${path}`, { method, headers, ...streaming });
}

/** Chunks that would go on up to 10 MB. */
function* tenMegabytes(): Iterable<Uint8Array> {
  for (let sent = 0; sent < 10_000_000; sent += CHUNK_BYTES) yield new Uint8Array(CHUNK_BYTES).fill(0x20);
}

describe("S19: an upload through the Fetch adapter", () => {
  it("of 10 MB is let go at the limit: no more than one chunk beyond it is ever taken", async () => {
    const { handler, recorded } = createOrders();
    const upload = watchStream(tenMegabytes());
    expect((await handler(post(upload))).status).toBe(413);
    expect([upload.pulledBytes, upload.isCancelled]).toEqual([MAX_BYTES + CHUNK_BYTES, true]);
    expect(await recorded()).toBe(0);
  });

  it("whose length is declared to be too large is refused without a look at it", async () => {
    const upload = watchStream(tenMegabytes());
    const reply = await createOrders().handler(post(upload, { fields: { "content-length": "10000000" } }));
    expect([reply.status, upload.pulledBytes]).toEqual([413, 0]);
  });

  it.each<[number, Post]>([
    [404, { path: "/nothing" }],
    [405, { method: "PUT" }],
    [401, { fields: { authorization: "Bearer other" } }],
    [415, { fields: { "content-type": "text/plain" } }],
    [415, { fields: { "content-encoding": "gzip" } }],
    [406, { fields: { accept: "text/html" } }],
    [400, { fields: { "idempotency-key": "a b" } }],
  ])("is not looked at when the request is refused before with %i: %j", async (status, change) => {
    const upload = watchStream([bytes]);
    const reply = await createOrders().handler(post(upload, change));
    expect([reply.status, upload.pulledBytes]).toEqual([status, 0]);
  });

  it("that stalls gets 408, and is let go", async () => {
    const clock = createManualClock();
    const { handler, recorded } = createOrders({ runtime: { clock } });
    const upload = watchStream([bytes.subarray(0, 5)], { end: "stall" });
    const answering = handler(post(upload));
    await upload.stalled;
    await clock.advance(30_000);
    expect([(await answering).status, upload.isCancelled]).toEqual([408, true]);
    expect(await recorded()).toBe(0);
  });
});

describe("S19: a client that goes away", () => {
  it("ends the reading of its upload, of which nothing is recorded", async () => {
    const { handler, refusals, recorded } = createOrders();
    const upload = watchStream([bytes.subarray(0, 5)], { end: "stall" });
    const client = new AbortController();
    const answering = handler(post(upload, { signal: client.signal }));
    await upload.stalled;
    client.abort();
    expect((await answering).status).toBe(400);
    expect([upload.isCancelled, refusals, await recorded()]).toEqual([true, ["BODY_ABORTED"], 0]);
  });

  it("does so although the source of the upload fails when it is let go", async () => {
    const { handler, refusals } = createOrders();
    const onCancel = (): Promise<void> => Promise.reject(new Error("the connection was reset"));
    const upload = watchStream([], { end: "stall", onCancel });
    const client = new AbortController();
    const answering = handler(post(upload, { signal: client.signal }));
    await upload.stalled;
    client.abort();
    await answering;
    expect([upload.isCancelled, refusals]).toEqual([true, ["BODY_ABORTED"]]);
  });

  it("before its upload is asked for leaves it unread, and does not keep the service waiting", async () => {
    const client = new AbortController();
    const authorize: OrderServiceOptions["authorize"] = async () => {
      client.abort();
      return { id: "a" };
    };
    const { handler, refusals, recorded } = createOrders({ authorize });
    const upload = watchStream(tenMegabytes(), { end: "stall" });
    await handler(post(upload, { signal: client.signal }));
    expect([upload.pulledBytes, upload.isCancelled]).toEqual([0, true]);
    expect([refusals, await recorded()]).toEqual([["BODY_ABORTED"], 0]);
  });

  it("after its upload was read changes nothing any more: the order is accepted", async () => {
    const client = new AbortController();
    const hash = (text: string): string => {
      client.abort();
      return text;
    };
    const { handler, recorded } = createOrders({ runtime: { hash } });
    const reply = await handler(post(watchStream([bytes]), { signal: client.signal }));
    expect([reply.status, await recorded()]).toEqual([202, 1]);
  });
});

describe("S19: a body that the application has read before", () => {
  const orders = createOrders({ authorize: allowAnonymous() });
  const readers: Readonly<Record<string, (request: Request) => unknown>> = {
    "read whole": (request) => request.text(),
    "read in part and given back": async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.releaseLock();
    },
    "taken and not read yet": (request) => request.body?.getReader(),
  };

  it.each(Object.entries(readers))(
    "is no fault of the client, and the observer sees it: %s",
    async (_, read) => {
      const { handler, refusals, recorded } = createOrders();
      const request = post(watchStream([bytes]));
      await read(request);
      expect((await handler(request)).status).toBe(500);
      expect([refusals, await recorded()]).toEqual([["BODY_ALREADY_READ"], 0]);
    },
  );

  it("can be had by a clone that was made before, as the error says", async () => {
    const request = post(watchStream([bytes]));
    const clone = request.clone();
    await request.text();
    expect((await orders.handler(clone)).status).toBe(202);
  });
});
