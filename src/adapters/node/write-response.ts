import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isStream, releaseBody, toChunks } from "../../http/message/body-stream.js";
import type { HttpResponse } from "../../http/message/message.js";
import { declaredLength, hasBody } from "./read-request.js";

/**
 * Limits on reading the rest of a refused upload, which lets its client read the reply before the connection closes.
 */
const LINGER_MS = 2_000;
const LINGER_BYTES = 16_777_216;

/**
 * Sent in place of a reply with a header field that Node refuses. The operation stays recorded, so a retry can find
 * it.
 */
const UNWRITABLE: HttpResponse = { status: 500, headers: {} };

/**
 * Sends a reply, even if the body of the request was not read. If only a short rest is left, it is skipped and the
 * connection stays open. Otherwise the connection is closed after the reply.
 */
export function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: HttpResponse,
  maxBodyBytes: number,
): void {
  const { status, headers, body } = response;
  // The client may have disconnected. Or the application may have answered, for example after a timeout.
  if (res.destroyed || res.headersSent) {
    releaseBody(body);
    return;
  }
  const unread = !req.complete && hasBody(req);
  const tooLong = unread && !(declaredLength(req) <= maxBodyBytes);
  // A 408 means that the server no longer waits for the body (RFC 9110 §15.5.9).
  const tooSlow = unread && status === 408;
  const fields = tooLong || tooSlow ? { ...headers, connection: "close" } : headers;
  if (!writeHead(res, status, fields)) {
    releaseBody(body);
    writeResponse(req, res, UNWRITABLE, maxBodyBytes);
  }
  // These only reject if the connection broke.
  else if (tooLong && !tooSlow) writeSlowly(req, res, body).catch(() => res.destroy());
  else if (isStream(body)) pipeline(Readable.from(toChunks(body)), res).catch(() => res.destroy());
  else res.end(body);
  // Node skips the rest of the body when the reply is finished.
}

/** Returns whether Node accepted the header fields. A user's hook may have set one that no reply can have. */
function writeHead(res: ServerResponse, status: number, headers: HttpResponse["headers"]): boolean {
  try {
    res.writeHead(status, headers);
    return true;
  } catch {
    // If the application had set header fields, Node has already added some of these to them.
    for (const name of Object.keys(headers)) res.removeHeader(name);
    res.statusMessage = "";
    return false;
  }
}

async function writeSlowly(
  req: IncomingMessage,
  res: ServerResponse,
  body: HttpResponse["body"],
): Promise<void> {
  await write(res, body);
  await linger(req);
  res.end();
}

async function write(res: ServerResponse, body: HttpResponse["body"]): Promise<void> {
  res.flushHeaders();
  if (body === undefined) return;
  if (isStream(body)) await pipeline(Readable.from(toChunks(body)), res, { end: false });
  else res.write(body);
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
