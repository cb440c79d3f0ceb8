import type { IncomingMessage } from "node:http";
import { AsyncReplyError } from "../../contract/errors.js";
import type { HttpRequest } from "../../http/message/message.js";
import { hasBody, wasRead } from "../node/read-request.js";

/** Node's request with the properties that Express and its body parsers add. */
export interface ExpressRequest extends IncomingMessage {
  /** Complete request target, including the path that the handler is mounted under. */
  readonly originalUrl: string;
  /** Path that the handler is mounted under. */
  readonly baseUrl?: string;
  /** Body as a body parser left it. Only used if it is bytes; otherwise see `rawBody`. */
  readonly body?: unknown;
  /** Bytes of the body as they were sent, if a body parser was configured to keep them. */
  readonly rawBody?: unknown;
}

/**
 * Returns the request with the bytes that a body parser kept, if one ran before the handler.
 *
 * Throws `BODY_ALREADY_READ` if the parser kept no bytes.
 */
export function withKeptBytes(request: HttpRequest, req: ExpressRequest): HttpRequest {
  return hasBody(req) && wasRead(req) ? { ...request, body: keptBytes(req) } : request;
}

/**
 * Returns bytes only. A parsed body no longer shows duplicate names, a byte order mark or broken UTF-8, which must be
 * refused.
 */
function keptBytes({ body, rawBody }: ExpressRequest): Uint8Array {
  if (rawBody instanceof Uint8Array) return rawBody;
  if (body instanceof Uint8Array) return body;
  throw new AsyncReplyError(
    "BODY_ALREADY_READ",
    "A body parser ran before toExpressHandler, which needs the bytes as they were sent. Mount the handler before " +
      "express.json(); or use express.raw({ type: () => true }) on its paths; or let the parser keep the bytes: " +
      "express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } }).",
  );
}
