import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRequest, HttpResponse, RequestContext } from "../../http/message/message.js";
import { isStream, releaseBody } from "../../http/message/reply.js";
import { DEFAULT_MAX_BODY_BYTES } from "../../http/settings.js";
import { SHARED } from "../../protocol/shared.js";
import type { Mountable } from "../../service/service.js";
import { declaredLength, hasBody } from "./read-request.js";
import { http2Stream, replyEarly, replyEarlyOnStream, writeStream } from "./write-body.js";

/** Writes the reply of a service to a request. Never rejects. */
export async function respond(
  service: Mountable,
  request: HttpRequest,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    writeResponse(req, res, await service.handle(request, new NodeRequestContext(res)), service);
  } catch {
    // Neither throws for a valid reply. An invalid one must not crash the process.
    res.destroy();
  }
}

/**
 * Creates its signal on first use, because most requests never need it. It is a class because V8 keeps an object
 * literal with an accessor, and with it the request, until the next full collection.
 */
class NodeRequestContext implements RequestContext {
  readonly #res: ServerResponse;
  #controller: AbortController | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  get signal(): AbortSignal {
    this.#controller ??= abortOnClose(this.#res);
    return this.#controller.signal;
  }
}

/**
 * Only the response that owns the connection emits `close`. One that waits behind an earlier response, because its
 * client pipelines, would not notice a disconnect. So it counts as gone, and waits for nothing.
 */
function abortOnClose(res: ServerResponse): AbortController {
  const controller = new AbortController();
  const onClose = (): void => {
    // Over HTTP/2, every response that has closed is `writableFinished`.
    if (!(res.writableEnded && res.writableFinished)) controller.abort();
  };
  if (ownsConnection(res)) res.once("close", onClose);
  else onClose();
  return controller;
}

/** The socket is null before and after a response is sent, and undefined after a stream of HTTP/2 has closed. */
function ownsConnection({ socket, destroyed }: ServerResponse): boolean {
  return socket !== null && socket !== undefined && !destroyed;
}

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
function writeResponse(
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

/**
 * Returns whether Node accepted the header fields. A user's hook may have set one that no reply can have. Fields that
 * the application has set before stay, unless the service sets the same.
 */
function writeHead(res: ServerResponse, status: number, headers: HttpResponse["headers"]): boolean {
  try {
    res.writeHead(status, withVary(res, headers));
    return true;
  } catch {
    // If the application had set header fields, Node has already added some of these to them.
    for (const name of Object.keys(headers)) res.removeHeader(name);
    res.statusMessage = "";
    return false;
  }
}

/**
 * A reply depends on what the application names in `Vary`, too. Without the `Origin` of its CORS, a cache would serve
 * the reply for one origin to another (RFC 9110 §12.5.5).
 */
function withVary(res: ServerResponse, headers: HttpResponse["headers"]): HttpResponse["headers"] {
  const set = res.getHeader("vary");
  return set === undefined || headers.vary === undefined
    ? headers
    : { ...headers, vary: [set, headers.vary].flat().join(", ") };
}
