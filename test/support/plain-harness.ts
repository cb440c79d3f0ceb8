import {
  AsyncReplyError,
  createMemoryBackend,
  type HttpRequest,
  type HttpResponse,
} from "async-request-reply";
import type { AdapterHarness, Upload, WireRequest } from "./adapter-suite/fixtures/adapter-case.js";

export type Handle = (request: HttpRequest) => Promise<HttpResponse>;

/** Creates the smallest possible adapter: plain objects in and out. `change` can wrap the handler. */
export function createPlainHarness(
  change: (handle: Handle) => Handle = (handle) => handle,
  createBackend: AdapterHarness["createBackend"] = createMemoryBackend,
): AdapterHarness {
  return {
    capabilities: { sockets: false, fieldLines: true, manyFields: true },
    createBackend,
    mount: async (service) => {
      const handle = change((request) => service.handle(request));
      return {
        send: async (request) => {
          const { status, headers, body = "" } = await handle(toHttpRequest(request));
          return { status, headers: Object.entries(headers), body: String(body) };
        },
      };
    },
  };
}

/** Converts a request of the adapter suite to the `HttpRequest` that a service takes. */
export function toHttpRequest({ body, ...rest }: WireRequest): HttpRequest {
  if (body === undefined) return rest;
  if (typeof body === "string" || body instanceof Uint8Array) return { ...rest, body };
  return { ...rest, body: upload(body) };
}

async function* upload({ chunks, end }: Upload): AsyncIterable<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
  if (end === "stall") await new Promise(() => {});
  if (end === "abort") throw new AsyncReplyError("BODY_ABORTED", "The body ended too early.");
}
