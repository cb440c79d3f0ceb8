import type { IncomingMessage } from "node:http";
import { AsyncReplyError } from "../../contract/errors.js";
import { hasBody, keptBytes, wasRead } from "../node/read-request.js";

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
 * Checks that the body can still be read, or that a body parser that ran before the handler kept its bytes.
 *
 * Throws `BODY_ALREADY_READ`.
 */
export function checkBody(req: ExpressRequest): void {
  if (!hasBody(req) || !wasRead(req) || keptBytes(req) !== undefined) return;
  throw new AsyncReplyError(
    "BODY_ALREADY_READ",
    "A body parser ran before toExpressHandler, which needs the bytes as they were sent. Mount the handler before " +
      "express.json(); or use express.raw({ type: () => true }) on its paths; or let the parser keep the bytes: " +
      "express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } }).",
  );
}
