import { type FallthroughFetchHandler, toFetchHandler } from "async-request-reply/fetch";
import type {
  AdapterHarness,
  Upload,
  WireRequest,
  WireResponse,
} from "./adapter-suite/fixtures/adapter-case.js";

/** Creates a harness for the adapter suite that uses `Request` objects and no sockets. */
export function createFetchHarness(createBackend: AdapterHarness["createBackend"]): AdapterHarness {
  return {
    capabilities: { sockets: false, fieldLines: false, streams: true, fallthrough: true },
    createBackend,
    mount: async (service, options) => {
      const handler =
        options?.fallthrough === true
          ? toFetchHandler(service, { fallthrough: true })
          : toFetchHandler(service, {});
      return { send: (request) => sendByFetch(handler, request) };
    },
  };
}

/** Sends a request to the Fetch adapter and reads its reply. */
async function sendByFetch(handler: FallthroughFetchHandler, request: WireRequest): Promise<WireResponse> {
  const sent = toRequest(request);
  const reply = (await handler(sent)) ?? new Response(`the application: ${await sent.text()}`);
  return { status: reply.status, headers: [...reply.headers], body: await reply.text() };
}

/** Converts a request of the adapter suite to the `Request` that a platform would pass. */
export function toRequest({ method, path, headers, body }: WireRequest): Request {
  const controller = new AbortController();
  const init = { method, headers: headers as [string, string][], signal: controller.signal };
  const url = /^https?:/i.test(path) ? path : `http://localhost${path}`;
  if (body === undefined) return new Request(url, init);
  const bytes = typeof body === "string" || body instanceof Uint8Array ? toBytes(body) : body;
  if (bytes instanceof Uint8Array) {
    const request = new Request(url, { ...init, body: bytes });
    if (!request.headers.has("content-length")) request.headers.set("content-length", String(bytes.length));
    return request;
  }
  return new Request(url, { ...init, body: toStream(bytes, controller), duplex: "half" } as RequestInit);
}

const encoder = new TextEncoder();

/** Avoids `Buffer`, which some platforms lack. */
function toBytes(text: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof text === "string" ? encoder.encode(text) : new Uint8Array(text);
}

/** A client that disconnects aborts the request's signal. The chunks that it sent stay readable. */
function toStream({ chunks, end }: Upload, controller: AbortController): ReadableStream<Uint8Array> {
  const rest = [...chunks];
  return new ReadableStream({
    pull: (stream) => {
      const chunk = rest.shift();
      if (chunk !== undefined) stream.enqueue(toBytes(chunk));
      else if (end === "abort") controller.abort();
      else if (end === "stall") return new Promise(() => {});
      else stream.close();
      return undefined;
    },
  });
}
