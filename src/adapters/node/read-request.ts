import type { IncomingMessage } from "node:http";
import { AsyncReplyError } from "../../contract/errors.js";
import { header } from "../../http/message/headers.js";
import type { BodyReader, HttpRequest } from "../../http/message/message.js";
import { join, tooLarge } from "../../http/message/read-body.js";

/** Returns Node's request as plain data. Reads `rawHeaders`, which keeps repeated fields apart, unlike `headers`. */
export function toHttpRequest(req: IncomingMessage, target: string = req.url ?? "/"): HttpRequest {
  const length = declaredLength(req);
  return {
    method: req.method ?? "GET",
    path: originForm(target),
    headers: req.rawHeaders,
    headersTruncated: mayLackFields(req),
    body: hasBody(req, length) ? bodyReader(req, length) : undefined,
  };
}

/**
 * Returns whether the parser may have dropped header fields. It silently stops collecting at the server's
 * `maxHeadersCount`, or slightly later. Zero means no limit.
 */
function mayLackFields({ rawHeaders, socket }: IncomingMessage): boolean {
  const { server } = (socket ?? {}) as { readonly server?: { readonly maxHeadersCount?: number | null } };
  const limit = server?.maxHeadersCount ?? DEFAULT_MAX_HEADERS_COUNT;
  return limit > 0 && rawHeaders.length >= limit * 2;
}

const DEFAULT_MAX_HEADERS_COUNT = 1_000;

/**
 * Returns the path and query of a request target. Proxies may send the target in absolute form, which every server
 * must accept (RFC 9112 §3.2.2). The path is not parsed as a URL, because that would resolve its dot segments.
 */
function originForm(target: string): string {
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return target;
  const path = target.slice(origin.length);
  return path.startsWith("/") ? path : `/${path}`;
}

/** Returns whether the framing of the request announces a body (RFC 9112 §6, RFC 9113 §8.1). */
export function hasBody(req: IncomingMessage, length: number = declaredLength(req)): boolean {
  if (length > 0 || header(req.rawHeaders, "transfer-encoding") !== undefined) return true;
  // In HTTP/2 no header field has to announce a body: the stream continues after the header section.
  const { stream } = req as { readonly stream?: { readonly endAfterHeaders?: boolean } };
  return stream?.endAfterHeaders === false && length !== 0;
}

/**
 * Returns the declared length of the body, or NaN if there is no `Content-Length`. Searching the raw list costs a
 * fraction of the `headers` object, which Node builds on first use.
 */
export function declaredLength({ rawHeaders }: IncomingMessage): number {
  return Number(header(rawHeaders, "content-length"));
}

/** Returns whether something before the handler has started to read the body. */
export function wasRead(req: IncomingMessage): boolean {
  // An empty body emits no data, only its end.
  return (req.readableDidRead || req.readableEnded) && !req.readableAborted;
}

/**
 * Returns the bytes that an earlier reader of the body has kept, such as Google's functions-framework. Returns bytes only: a
 * parsed body no longer shows duplicate names, a byte order mark or broken UTF-8, which must be refused.
 */
export function keptBytes(req: IncomingMessage): Uint8Array | undefined {
  const { rawBody, body } = req as { readonly rawBody?: unknown; readonly body?: unknown };
  return [rawBody, body].find((kept) => kept instanceof Uint8Array);
}

function readAgain(req: IncomingMessage, maxBytes: number): Uint8Array {
  const kept = keptBytes(req);
  if (kept === undefined) throw alreadyRead();
  if (kept.byteLength > maxBytes) throw tooLarge(maxBytes);
  return kept;
}

function alreadyRead(): AsyncReplyError {
  return new AsyncReplyError(
    "BODY_ALREADY_READ",
    "The body was read before toNodeHandler got the request. Mount the handler before anything that reads the body, or " +
      "let that keep the bytes in `req.rawBody`.",
  );
}

/** Returns a reader of the body. Most bodies arrive together with the header section and are read at once. */
function bodyReader(req: IncomingMessage, length: number): BodyReader {
  return (maxBytes) => {
    if (wasRead(req)) return readAgain(req, maxBytes);
    const { readableLength } = req;
    const isWhole = readableLength === length && readableLength <= maxBytes;
    if (!isWhole) return collect(req, maxBytes);
    const whole: Uint8Array = req.read();
    req.resume();
    return whole;
  };
}

/** Reads the body with events: for a body of one chunk, the stream's async iterator costs several times as much. */
function collect(req: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    const onData = (chunk: Uint8Array): void => {
      length += chunk.byteLength;
      if (length > maxBytes) finish(() => reject(tooLarge(maxBytes)));
      else parts.push(chunk);
    };
    const onEnd = (): void => finish(() => resolve(join(parts, length)));
    const onGone = (): void =>
      finish(() => reject(new AsyncReplyError("BODY_ABORTED", "The body ended too early.")));
    const finish = (then: () => void): void => {
      req.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone).pause();
      // An aborted upload emits another error later, when no other listener is left.
      req.on("error", () => {});
      then();
    };
    req.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    if (req.destroyed) onGone();
  });
}
