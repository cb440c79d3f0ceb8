import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { allowAnonymous, createMemoryBackend, createService, defineOperation } from "async-request-reply";
import { toFetchHandler } from "async-request-reply/fetch";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { claimOne } from "../../support/claims.js";

const streams = defineOperation({ name: "streams", path: "/streams", input: z.string(), chunk: z.unknown() });
const UNKNOWN_ID = "01980000-0000-7000-8000-000000000000";
const leaseMs = 3_600_000;

/** A stream of the protocol, which is an operation with output. */
interface Stream {
  readonly operationId: string;
  readonly token: string;
  readonly type: string;
  count: number;
}

/**
 * Starts a server of which the protocol's own tests can create streams and append to them: a stream is an operation, and an append
 * writes to its output as a worker does. Reads go to the service. It changes of their replies only what the tests expect of streams
 * that are not JSON: the chunks, which are strings, become one text again. Closed when the test ends.
 */
export async function startShim(): Promise<string> {
  const backend = createMemoryBackend();
  const service = createService({
    definitions: [streams],
    backend,
    authorize: allowAnonymous(),
    observe: false,
    maxWaitMs: 2_000,
  });
  const handle = toFetchHandler(service);
  const byPath = new Map<string, Stream>();
  const read = (stream: Stream | undefined, query: string, init: RequestInit): Promise<Response> =>
    handle(
      new Request(`http://localhost/operations/${stream?.operationId ?? UNKNOWN_ID}/output${query}`, init),
    );

  async function open(path: string, type: string): Promise<Stream> {
    const { operationId } = await service.submit(streams, path, { tenant: "anonymous" });
    const token = crypto.randomUUID();
    await claimOne(backend.operations, operationId, { token, leaseMs });
    const stream = { operationId, token, type, count: 0 };
    byPath.set(path, stream);
    return stream;
  }

  async function append(stream: Stream, body: string): Promise<void> {
    if (body === "") return;
    const messages = isJson(stream) ? [JSON.parse(body) as unknown].flat() : [body];
    const chunks = messages.map((message) => JSON.stringify(message));
    const bytes = Buffer.byteLength(chunks.join(""));
    if (chunks.length > 0)
      await backend.output.append([{ lease: stream, from: stream.count, chunks, bytes }]);
    stream.count += chunks.length;
  }

  async function write(request: IncomingMessage, path: string): Promise<Response> {
    const known = byPath.get(path);
    // One character for each byte.
    const body = Buffer.from(await text(request.setEncoding("latin1")), "latin1").toString("latin1");
    const type = String(request.headers["content-type"] ?? "application/octet-stream").toLowerCase();
    if (request.method === "DELETE") return new Response(null, { status: byPath.delete(path) ? 204 : 404 });
    if (request.method === "POST" && known === undefined) return new Response(null, { status: 404 });
    const stream = known ?? (await open(path, type));
    try {
      await append(stream, isJson(stream) ? Buffer.from(body, "latin1").toString() : body);
    } catch {
      return new Response(null, { status: 400 });
    }
    if (request.headers["stream-closed"] === "true")
      await backend.operations.settle(stream, { to: "completed", result: "1" });
    const { headers } = await read(stream, "", { method: "HEAD" });
    const status = request.method === "POST" ? 204 : known === undefined ? 201 : 200;
    return new Response(null, { status, headers });
  }

  async function answer(request: IncomingMessage): Promise<Response> {
    const { method = "GET", url = "/" } = request;
    const [path = "", query] = url.split("?", 2);
    if (["PUT", "POST", "DELETE"].includes(method)) return write(request, path);
    const stream = byPath.get(path);
    const headers = new Headers(request.headers as Record<string, string>);
    const reply = await read(stream, query === undefined ? "" : `?${query}`, { method, headers });
    if (stream === undefined || isJson(stream) || !isJson({ type: reply.headers.get("content-type") ?? "" }))
      return reply;
    const plain = new Headers(reply.headers);
    plain.set("content-type", stream.type);
    plain.delete("content-length");
    const chunks = method === "GET" ? ((await reply.json()) as string[]) : [];
    return new Response(Buffer.from(chunks.join(""), "latin1"), { status: reply.status, headers: plain });
  }

  const server = createServer(async (request, response) => {
    const { status, headers, body } = await answer(request);
    response.writeHead(status, Object.fromEntries(headers));
    response.flushHeaders();
    if (body === null) return response.end();
    const reader = body.getReader();
    response.on("close", () => void reader.cancel().catch(() => {}));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      response.write(value);
    }
    return response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function isJson({ type }: { readonly type: string }): boolean {
  return type.startsWith("application/json");
}
