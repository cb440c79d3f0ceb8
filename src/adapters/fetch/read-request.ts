import { AsyncReplyError } from "../../contract/errors.js";
import type { BodyReader, HttpRequest } from "../../http/message/message.js";
import { join, tooLarge } from "../../http/message/read-body.js";
import { onAbort } from "../../platform/waits.js";

/** Request as plain data, and a function that releases its body when it is no longer needed. */
export interface Translated {
  readonly request: HttpRequest;
  release(): void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Returns a `Request` as plain data. Repeated header lines are joined, as in `Headers`. */
export function toHttpRequest(request: Request): Translated {
  let reader: Reader | undefined;
  const read: BodyReader = async (maxBytes) => {
    const stream = request.body as ReadableStream<Uint8Array>;
    if (request.bodyUsed || stream.locked) throw alreadyRead();
    reader = stream.getReader();
    const whole = await collect(reader, maxBytes, request.signal);
    reader = undefined;
    return whole;
  };
  const { method, url, headers } = request;
  return {
    request: { method, path: targetOf(url), headers, body: request.body === null ? undefined : read },
    release: () => {
      if (reader !== undefined) giveUp(reader);
    },
  };
}

/** Returns the path and query of an absolute URL. The URL of a `Request` is always absolute. */
function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const fragment = url.indexOf("#", start);
  return url.slice(start, fragment === -1 ? undefined : fragment);
}

/**
 * Reads the body up to the limit, and stops when the client disconnects. On some platforms, such as Azure Functions,
 * requests have no signal.
 */
async function collect(
  reader: Reader,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const stop = (): void => giveUp(reader);
  const forget = onAbort(signal, stop);
  // The client may have disconnected during authorization, before this listener was added.
  if (signal?.aborted) stop();
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      parts.push(next.value);
    }
    // A stream that was cancelled looks like one that ended normally.
    if (signal?.aborted) throw aborted();
    return join(parts, length);
  } finally {
    forget();
  }
}

/** Cancels without waiting, because the source may never answer. */
function giveUp(reader: Reader): void {
  reader.cancel().catch(() => {});
}

function aborted(): AsyncReplyError {
  return new AsyncReplyError("BODY_ABORTED", "The body ended too early.");
}

function alreadyRead(): AsyncReplyError {
  return new AsyncReplyError(
    "BODY_ALREADY_READ",
    "The body was read before toFetchHandler got the request. Pass an unread request, or a clone made before reading.",
  );
}
