import type { IncomingMessage } from "node:http";
import { AsyncReplyError } from "../../contract/errors.js";
import type { HttpRequest } from "../../http/message/message.js";
import { hasBody, wasRead } from "../node/read-request.js";

/** What Express and its body parsers add to Node's request. */
export interface ExpressRequest extends IncomingMessage {
  /** The whole request target, also where the handler is mounted under a path. */
  readonly originalUrl: string;
  /** The path that the handler is mounted under. */
  readonly baseUrl?: string;
  /** What a body parser has made of the body. Only bytes will do: see `rawBody`. */
  readonly body?: unknown;
  /** The bytes beside a parsed body, where a parser was told to keep them. */
  readonly rawBody?: unknown;
}

/**
 * Returns the request with the bytes that a body parser has kept, if one ran before.
 *
 * Throws `BODY_ALREADY_READ` if it has kept none.
 */
export function withKeptBytes(request: HttpRequest, req: ExpressRequest): HttpRequest {
  return hasBody(req) && wasRead(req) ? { ...request, body: keptBytes(req) } : request;
}

/**
 * What a parser has made of the body will not do: duplicate names, a byte order mark and broken UTF-8 cannot be seen in it
 * any more, and must be refused.
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
