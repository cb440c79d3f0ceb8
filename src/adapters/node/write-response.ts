import type { IncomingMessage, ServerResponse } from "node:http";
import { isStream, releaseBody } from "../../http/message/body-stream.js";
import type { HttpResponse } from "../../http/message/message.js";
import { DEFAULT_MAX_BODY_BYTES } from "../../http/settings.js";
import { SHARED } from "../../protocol/shared.js";
import type { Mountable } from "../../service/service.js";
import { declaredLength, hasBody } from "./read-request.js";
import { http2Stream, replyEarly, replyEarlyOnStream, writeStream } from "./write-body.js";

/**
 * Sent in place of a reply with a header field that Node refuses. The operation stays recorded, so a retry can find
 * it.
 */
const UNWRITABLE: HttpResponse = { status: 500, headers: {} };

/**
 * Sends a reply, even if the body of the request was not read. If only a short rest is left, it is skipped and the
 * connection stays open. Otherwise the connection is closed after the reply. Over HTTP/2, only the stream is closed.
 * While the service closes, every connection is closed after its reply.
 */
export function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  response: HttpResponse,
  service: Mountable,
): void {
  const { status, headers, body } = response;
  // The client may have disconnected. Or the application may have answered, for example after a timeout.
  if (res.destroyed || req.socket?.destroyed || res.headersSent) {
    releaseBody(body);
    return;
  }
  const context = service[SHARED];
  const unread = !req.complete && hasBody(req);
  const tooLong =
    unread && !(declaredLength(req) <= (context?.settings.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES));
  // A 408 means that the server no longer waits for the body (RFC 9110 §15.5.9).
  const tooSlow = unread && status === 408;
  const stream = http2Stream(req);
  // The client sends its next request to another process.
  const closing = context?.hub.closed === true;
  if (closing) stream?.session?.close();
  const closes = stream === undefined && (tooLong || tooSlow || closing);
  const fields = closes ? { ...headers, connection: "close" } : headers;
  if (!writeHead(res, status, fields)) {
    releaseBody(body);
    writeResponse(req, res, UNWRITABLE, service);
  }
  // These only reject if the connection broke.
  else if (unread && stream !== undefined)
    replyEarlyOnStream(req, res, body, stream).catch(() => res.destroy());
  else if (tooLong && !tooSlow) replyEarly(req, res, body).catch(() => res.destroy());
  else if (isStream(body)) writeStream(req, res, body, { end: true }).catch(() => res.destroy());
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
