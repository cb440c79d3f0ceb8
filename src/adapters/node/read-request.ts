import type { IncomingMessage } from "node:http";
import { AsyncReplyError } from "../../contract/errors.js";
import { header } from "../../http/message/headers.js";
import type { BodyReader, HttpRequest } from "../../http/message/message.js";
import { join, tooLarge } from "../../http/message/read-body.js";

/** Node's request as plain data. `rawHeaders` keeps repeated fields apart, which `headers` does not. */
export function toHttpRequest(req: IncomingMessage, target: string = req.url ?? "/"): HttpRequest {
  return {
    method: req.method ?? "GET",
    path: originForm(target),
    headers: req.rawHeaders,
    headersTruncated: mayLackFields(req),
    body: hasBody(req) ? bodyReader(req) : undefined,
  };
}

/**
 * Whether the parser may have dropped fields. It stops collecting at `maxHeadersCount` of the server, or somewhat behind it,
 * and does not say so. Zero is no limit.
 */
function mayLackFields({ rawHeaders, socket }: IncomingMessage): boolean {
  const { server } = (socket ?? {}) as { readonly server?: { readonly maxHeadersCount?: number | null } };
  const limit = server?.maxHeadersCount ?? DEFAULT_MAX_HEADERS_COUNT;
  return limit > 0 && rawHeaders.length >= limit * 2;
}

const DEFAULT_MAX_HEADERS_COUNT = 1_000;

/**
 * Proxies may send the target in absolute form, which every server must take (RFC 9112 §3.2.2). The path in it stays as it
 * stands: a URL would resolve its dot segments.
 */
function originForm(target: string): string {
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return target;
  const path = target.slice(origin.length);
  return path.startsWith("/") ? path : `/${path}`;
}

/** Whether the framing of the request announces a body (RFC 9112 §6, RFC 9113 §8.1). */
export function hasBody(req: IncomingMessage): boolean {
  if (header(req.rawHeaders, "transfer-encoding") !== undefined || declaredLength(req) > 0) return true;
  // In HTTP/2 a body needs no field to announce it: the stream goes on after the header section.
  const { stream } = req as { readonly stream?: { readonly endAfterHeaders?: boolean } };
  return stream?.endAfterHeaders === false && !(declaredLength(req) === 0);
}

/**
 * The length that the request declares; NaN where it declares none. Searching the raw list costs a fraction of what the
 * object costs that Node makes on the first use of `headers`.
 */
export function declaredLength({ rawHeaders }: IncomingMessage): number {
  return Number(header(rawHeaders, "content-length"));
}

/** Whether something that ran before has begun to read the body. */
export function wasRead(req: IncomingMessage): boolean {
  // Of an empty body there is nothing to be read but its end.
  return (req.readableDidRead || req.readableEnded) && !req.readableAborted;
}

function alreadyRead(): AsyncReplyError {
  return new AsyncReplyError(
    "BODY_ALREADY_READ",
    "Something before toNodeHandler has read the body, which must come to it as it was sent: mount it first.",
  );
}

/** Most bodies come together with the header section: when they are asked for, all is there. */
function bodyReader(req: IncomingMessage): BodyReader {
  return (maxBytes) => {
    if (wasRead(req)) throw alreadyRead();
    const { readableLength } = req;
    const isWhole = readableLength === declaredLength(req) && readableLength <= maxBytes;
    if (!isWhole) return collect(req, maxBytes);
    const whole: Uint8Array = req.read();
    req.resume();
    return whole;
  };
}

/** Collects by events: the asynchronous iterator of a stream costs several times as much for a body of one chunk. */
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
      // An aborted upload also emits an error later, when nobody else listens.
      req.on("error", () => {});
      then();
    };
    req.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    if (req.destroyed) onGone();
  });
}
