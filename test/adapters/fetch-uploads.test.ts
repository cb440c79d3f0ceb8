import {
  bearer,
  createMemoryBackend,
  createOrderService,
  type OrderServiceOptions,
} from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { ORDER } from "../support/adapter-suite/fixtures/orders-fixture.js";
import { type WatchedStream, watchStream } from "./watched-stream.js";

const bytes = new TextEncoder().encode(ORDER);
const CHUNK_BYTES = 16_384;
const MAX_BYTES = 65_536;

/** Creates an order service behind the adapter, with one principal named `a`. Collects the codes of its refusals. */
function createOrders(options: Partial<OrderServiceOptions> = {}) {
  const backend = createMemoryBackend();
  const refusals: string[] = [];
  const service = createOrderService({
    backend,
    authorize: bearer({ token: "a" }),
    observe: (event) => event.event === "request.refused" && refusals.push(event.code),
    ...options,
  });
  const recorded = async () => (await backend.operations.list({ internal: true, limit: 10 })).length;
  return { handler: toFetchHandler(service), refusals, recorded };
}

/** Begins an upload whose client can leave, and waits until it stalls. */
async function uploadUntilStalled(options: Partial<OrderServiceOptions>, upload: WatchedStream) {
  const { handler, ...orders } = createOrders(options);
  const client = new AbortController();
  const answering = handler(post(upload, { signal: client.signal }));
  await upload.stalled;
  return { ...orders, client, answering };
}

interface Post extends RequestInit {
  readonly path?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Builds a submission whose body is a stream. */
function post({ stream }: Pick<WatchedStream, "stream">, change: Post = {}): Request {
  const { path = "/orders", method = "POST", fields = {}, ...init } = change;
  const headers = { authorization: "Bearer token", "content-type": "application/json", ...fields };
  // The types of some platforms lack `duplex`.
  const streaming: RequestInit & { readonly duplex: "half" } = { ...init, body: stream, duplex: "half" };
  return new Request(`http://localhost${path}`, { method, headers, ...streaming });
}

/** Yields chunks of 10 MB in total. */
function* tenMegabytes(): Iterable<Uint8Array> {
  for (let sent = 0; sent < 10_000_000; sent += CHUNK_BYTES) yield new Uint8Array(CHUNK_BYTES).fill(0x20);
}

describe("S19: an upload through the Fetch adapter", () => {
  it("of 10 MB is cancelled at the limit, after at most one chunk beyond it", async () => {
    const { handler, recorded } = createOrders();
    const upload = watchStream(tenMegabytes());
    expect((await handler(post(upload))).status).toBe(413);
    expect([upload.pulledBytes, upload.isCancelled]).toEqual([MAX_BYTES + CHUNK_BYTES, true]);
    expect(await recorded()).toBe(0);
  });

  it("with a declared length beyond the limit is refused unread", async () => {
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
  ])("stays unread if the request is refused with %i first: %j", async (status, change) => {
    const upload = watchStream([bytes]);
    const reply = await createOrders().handler(post(upload, change));
    expect([reply.status, upload.pulledBytes]).toEqual([status, 0]);
  });

  it("that stalls gets 408 and is cancelled", async () => {
    const clock = createManualClock();
    const upload = watchStream([bytes.subarray(0, 5)], { end: "stall" });
    const { answering, recorded } = await uploadUntilStalled({ runtime: { clock } }, upload);
    await clock.advance(30_000);
    expect([(await answering).status, upload.isCancelled]).toEqual([408, true]);
    expect(await recorded()).toBe(0);
  });
});

describe("S19: a client that disconnects", () => {
  it("cancels its upload, and nothing is recorded", async () => {
    const upload = watchStream([bytes.subarray(0, 5)], { end: "stall" });
    const { client, answering, refusals, recorded } = await uploadUntilStalled({}, upload);
    client.abort();
    expect((await answering).status).toBe(400);
    expect([upload.isCancelled, refusals, await recorded()]).toEqual([true, ["BODY_ABORTED"], 0]);
  });

  it("cancels its upload even if the source fails on cancellation", async () => {
    const onCancel = (): Promise<void> => Promise.reject(new Error("the connection was reset"));
    const upload = watchStream([], { end: "stall", onCancel });
    const { client, answering, refusals } = await uploadUntilStalled({}, upload);
    client.abort();
    await answering;
    expect([upload.isCancelled, refusals]).toEqual([true, ["BODY_ABORTED"]]);
  });

  it("before its body is read leaves the upload unread and does not block the service", async () => {
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

  it("after its body was read still gets its order accepted", async () => {
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

describe("S19: a body that the application has already read", () => {
  const readers: Readonly<Record<string, (request: Request) => unknown>> = {
    "read completely": (request) => request.text(),
    "partly read and unlocked again": async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      reader?.releaseLock();
    },
    "locked and not read yet": (request) => request.body?.getReader(),
  };

  it.each(Object.entries(readers))("gets 500 and is reported to the observer: %s", async (_, read) => {
    const { handler, refusals, recorded } = createOrders();
    const request = post(watchStream([bytes]));
    await read(request);
    expect((await handler(request)).status).toBe(500);
    expect([refusals, await recorded()]).toEqual([["BODY_ALREADY_READ"], 0]);
  });

  it("can be submitted from a clone made beforehand, as the error suggests", async () => {
    const request = post(watchStream([bytes]));
    const clone = request.clone();
    await request.text();
    expect((await createOrders().handler(clone)).status).toBe(202);
  });
});

describe("a request of a platform that gives it no signal", () => {
  /** Takes the signal away, as on Azure Functions. */
  const withoutSignal = (request: Request): Request =>
    Object.defineProperty(request, "signal", { value: undefined });

  it("is accepted", async () => {
    const { handler, refusals, recorded } = createOrders();
    expect((await handler(withoutSignal(post(watchStream([bytes]))))).status).toBe(202);
    expect([refusals, await recorded()]).toEqual([[], 1]);
  });

  it("can wait", async () => {
    const clock = createManualClock();
    const { handler } = createOrders({ runtime: { clock } });
    const { headers } = await handler(post(watchStream([bytes])));
    const fields = { authorization: "Bearer token", prefer: "wait=1" };
    const read = new Request(`http://localhost${headers.get("location")}`, { headers: fields });
    const waiting = handler(withoutSignal(read));
    await clock.advance(1_000);
    expect((await waiting).status).toBe(200);
  });
});
