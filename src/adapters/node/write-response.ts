import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HttpResponse } from "../../http/message.js";
import { hasBody } from "./read-request.js";

/** How long a refused upload may go on, so that its client gets to read the reply before the connection is closed. */
const LINGER_MS = 2_000;

/**
 * Sends a reply, also to a request whose body was not read: a short rest is skipped and the connection stays in use, any
 * other connection is closed after the reply.
 */
export async function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: HttpResponse,
  maxBodyBytes: number,
): Promise<void> {
  if (res.destroyed) return;
  const tooLong = !req.complete && hasBody(req) && !(Number(req.headers["content-length"]) <= maxBodyBytes);
  res.writeHead(status, tooLong ? { ...headers, connection: "close" } : headers);
  if (tooLong) await linger(req, res, body);
  else if (body === undefined || typeof body === "string" || body instanceof Uint8Array) res.end(body);
  else await pipeline(Readable.from(body), res);
  // Node itself skips the rest of the body once the reply is finished.
}

/**
 * Closing a connection that still has unread input makes the peer lose the reply. So the reply is written, the input
 * skipped for a while, and only then the connection closed.
 */
async function linger(req: IncomingMessage, res: ServerResponse, body: HttpResponse["body"]): Promise<void> {
  if (body !== undefined) res.write(body);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    req.on("end", done).on("close", done).on("error", done).resume();
  });
  res.end();
}
