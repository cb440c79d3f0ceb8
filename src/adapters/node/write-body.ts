import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type BodyStream, isStream } from "../../http/message/body-stream.js";
import type { HttpResponse } from "../../http/message/message.js";
import { toChunks } from "../../platform/streams.js";

/** Sends a body in chunks. Releases it if the client disconnects. Rejects if the body fails or the connection breaks. */
export function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  body: BodyStream,
  options: { readonly end: boolean },
): Promise<void> {
  const source = Readable.from(toChunks(body));
  if (res.socket === null) destroyWithConnection(req, source);
  return pipeline(source, res, options);
}

/** Sources of responses that wait behind an earlier one, by connection. */
const waiting = new WeakMap<IncomingMessage["socket"], Set<Readable>>();

/** Such a response does not notice that its connection closes. The connection has one listener for all of them. */
function destroyWithConnection({ socket }: IncomingMessage, source: Readable): void {
  const sources = waiting.get(socket) ?? watchConnection(socket);
  sources.add(source);
  source.once("close", () => sources.delete(source));
}

function watchConnection(socket: IncomingMessage["socket"]): Set<Readable> {
  const sources = new Set<Readable>();
  waiting.set(socket, sources);
  socket.once("close", () => {
    for (const source of sources) source.destroy();
  });
  return sources;
}

/** Limits on reading the rest of a refused upload. It lets the client read the reply before the connection closes. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 16_777_216;

/** Error codes of HTTP/2 (RFC 9113 §7). */
const NO_ERROR = 0;
const CANCEL = 8;

/** Returns the stream of a request over HTTP/2. */
export function http2Stream(req: IncomingMessage): ServerHttp2Stream | undefined {
  return req.httpVersionMajor >= 2 ? (req as unknown as { stream: ServerHttp2Stream }).stream : undefined;
}

/** Sends the body of a reply, and ends the reply and its connection after the rest of the upload, or at its limits. */
export async function replyEarly(
  req: IncomingMessage,
  res: ServerResponse,
  body: HttpResponse["body"],
): Promise<void> {
  res.flushHeaders();
  if (isStream(body)) await writeStream(req, res, body, { end: false });
  else if (body !== undefined) res.write(body);
  await linger(req);
  res.end();
}

/**
 * The same over HTTP/2. The reply ends at once, because it does not end the connection. A client may send on after it,
 * until the stream is closed (RFC 9113 §8.1).
 */
export async function replyEarlyOnStream(
  req: IncomingMessage,
  res: ServerResponse,
  body: HttpResponse["body"],
  stream: ServerHttp2Stream,
): Promise<void> {
  if (isStream(body)) await writeStream(req, res, body, { end: true });
  else res.end(body);
  await linger(req);
  if (!req.readableEnded) stream.close(stream.writableFinished ? NO_ERROR : CANCEL);
}

/**
 * Skips input for a while before the reply and its connection end. Closing a connection that still has unread input
 * makes the peer lose the reply.
 */
function linger(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    let skipped = 0;
    req.on("end", done).on("close", done).on("error", done);
    req.on("data", (chunk: Uint8Array) => {
      skipped += chunk.byteLength;
      if (skipped > LINGER_BYTES) done();
    });
    // Reading stopped at the limit, and a paused stream does not resume when a listener is added.
    req.resume();
  });
}
