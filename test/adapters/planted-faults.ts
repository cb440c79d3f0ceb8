import type { HttpRequest, HttpResponse } from "async-request-reply";
import type { Handle } from "../support/plain-harness.js";

/** A mistake that an adapter might make. */
export type AdapterFault = (handle: Handle) => Handle;

const onReply =
  (change: (reply: HttpResponse, request: HttpRequest) => HttpResponse): AdapterFault =>
  (handle) =>
  async (request) =>
    change(await handle(request), request);

const onRequest =
  (change: (request: HttpRequest) => Partial<HttpRequest>): AdapterFault =>
  (handle) =>
  (request) =>
    handle({ ...request, ...change(request) });

const onBytes = (decode: (bytes: Uint8Array) => string): AdapterFault =>
  onRequest(({ body }) => (body instanceof Uint8Array ? { body: decode(body) } : {}));

function without(name: string): AdapterFault {
  return onReply(({ headers, ...reply }) => {
    const { [name]: _, ...others } = headers;
    return { ...reply, headers: others };
  });
}

const lines = ({ headers }: HttpRequest) => [...(headers as readonly (readonly [string, string])[])];

const STATUSES = [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 429, 503];
const FIELDS = [
  ...["accept", "accept-encoding", "allow", "cache-control", "content-type", "deprecation", "etag"],
  ...["idempotent-replayed", "link", "location", "operation-location", "retry-after", "sunset", "vary"],
  ...["www-authenticate", "x-accel-buffering", "x-content-type-options"],
];

/** Adapters that each make one mistake. The adapter suite must catch all of them. */
export const plantedFaults: Readonly<Record<string, AdapterFault>> = {
  ...Object.fromEntries(
    STATUSES.map((status) => [
      `turns ${status} into another status`,
      onReply((reply) => (reply.status === status ? { ...reply, status: status + 50 } : reply)),
    ]),
  ),
  ...Object.fromEntries(FIELDS.map((name) => [`loses the field ${name} of replies`, without(name)])),
  "loses the body of replies": onReply(({ status, headers }) => ({ status, headers })),
  "gives HEAD a body": onReply((reply, { method }) => (method === "HEAD" ? { ...reply, body: "x" } : reply)),
  "takes the first of repeated fields": onRequest((request) => ({
    headers: [...new Map(lines(request).reverse())],
  })),
  "takes the last of repeated fields": onRequest((request) => ({ headers: [...new Map(lines(request))] })),
  "loses the fields of requests": onRequest(() => ({ headers: [] })),
  "loses the body of requests":
    (handle) =>
    ({ body: _, ...request }) =>
      handle(request),
  "removes slashes from the end of the path": onRequest(({ path }) => ({ path: path.replace(/\/+$/, "") })),
  "honors X-HTTP-Method-Override": onRequest((request) => ({
    method: lines(request).find(([name]) => name === "x-http-method-override")?.[1] ?? request.method,
  })),
  "repairs invalid UTF-8": onBytes((bytes) => Buffer.from(bytes).toString("utf8")),
  "drops a byte order mark": onBytes((bytes) => new TextDecoder().decode(bytes)),
  "parses JSON before the service does": onRequest(({ body }) => {
    try {
      return { body: JSON.stringify(JSON.parse(body as string)) };
    } catch {
      return {};
    }
  }),
};
