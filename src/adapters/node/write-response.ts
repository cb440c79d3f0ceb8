import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isStream, releaseBody, toChunks } from "../../http/message/body-stream.js";
import type { HttpResponse } from "../../http/message/message.js";
import { declaredLength, hasBody } from "./read-request.js";

/** How long and how much of a refused upload may go on, so that its client gets to read the reply before the end. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 16_777_216;

/** In place of a reply that has a field which Node refuses. What was recorded stays; a retry may find it. */
const UNWRITABLE: HttpResponse = { status: 500, headers: {} };

/**
 * Sends a reply, also to a request whose body was not read: a short rest is skipped and the connection stays in use, any
 * other connection is closed after the reply.
 */
export function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: HttpResponse,
  maxBodyBytes: number,
): void {
  const { status, headers, body } = response;
  // The client may have gone, and the application may have answered: it has limits of time of its own.
  if (res.destroyed || res.headersSent) {
    releaseBody(body);
    return;
  }
  const unread = !req.complete && hasBody(req);
  const tooLong = unread && !(declaredLength(req) <= maxBodyBytes);
  // What did not come in time is not waited for any longer (RFC 9110 §15.5.9).
  const tooSlow = unread && status === 408;
  const fields = tooLong || tooSlow ? { ...headers, connection: "close" } : headers;
  if (!writeHead(res, status, fields)) {
    releaseBody(body);
    writeResponse(req, res, UNWRITABLE, maxBodyBytes);
  }
  // Only a connection that broke rejects here.
  else if (tooLong && !tooSlow) writeSlowly(req, res, body).catch(() => res.destroy());
  else if (isStream(body)) pipeline(Readable.from(toChunks(body)), res).catch(() => res.destroy());
  else res.end(body);
  // Node itself skips the rest of the body once the reply is finished.
}

/** Tells whether Node took the fields: a hook of the user's may have given one that no reply can have. */
function writeHead(res: ServerResponse, status: number, headers: HttpResponse["headers"]): boolean {
  try {
    res.writeHead(status, headers);
    return true;
  } catch {
    // Where the application has set fields of its own, Node has begun to add these to them.
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
 * Closing a connection that still has unread input makes the peer lose the reply. So the input is skipped for a while
 * before the reply is ended and with it the connection.
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
    // Reading stopped at the bound, and a stream that was paused goes on for no listener.
    req.resume();
  });
}
