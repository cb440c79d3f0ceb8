import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { HttpResponse } from "../../http/message/message.js";
import { type BodyStream, isStream } from "../../http/message/reply.js";
import { toChunks } from "../../platform/streams.js";

/**
 * Sends a body in chunks. Releases it if the client disconnects. Rejects if the body fails or the connection breaks. Its own loop
 * and not `pipeline`, which turns each chunk into events of two streams.
 */
export async function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  body: BodyStream,
  { end }: { readonly end: boolean },
): Promise<void> {
  const chunks = toChunks(body)[Symbol.asyncIterator]();
  const release = async (): Promise<unknown> => chunks.return?.();
  let resume = (): void => {};
  let isGone = false;
  const forget = onDisconnect(req, res, () => {
    isGone = true;
    resume();
    // Not awaited, because the source may never settle.
    release().catch(() => {});
  });
  const until = (begin: (done: () => void) => unknown): Promise<void> =>
    new Promise((resolve) => {
      resume = resolve;
      begin(resolve);
    });
  try {
    for (;;) {
      const { done, value } = await chunks.next();
      if (isGone || res.destroyed) throw new Error("The connection broke.");
      if (done === true) break;
      if (!res.write(value)) await until((drained) => res.once("drain", drained));
    }
    if (end) await until((sent) => res.end(sent));
  } finally {
    forget();
    release().catch(() => {});
  }
}

/** Calls `onGone` when the connection of a response breaks. Returns a function that prevents it. */
function onDisconnect(req: IncomingMessage, res: ServerResponse, onGone: () => void): () => void {
  const closed = res.socket === null ? closedSocket(req) : undefined;
  closed?.add(onGone);
  res.on("close", onGone).on("error", onGone);
  return () => {
    closed?.delete(onGone);
    res.off("close", onGone).off("error", onGone);
  };
}

/** Calls for when a connection closes, because a response that waits behind an earlier one does not notice it. */
const waiting = new WeakMap<IncomingMessage["socket"], Set<() => void>>();

/** Returns the calls for a connection, which has one listener for all of them. */
function closedSocket({ socket }: IncomingMessage): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const calls = new Set<() => void>();
  waiting.set(socket, calls);
  socket.once("close", () => {
    for (const call of calls) call();
  });
  return calls;
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
