import { AsyncReplyError } from "../../contract/errors.js";
import type { BodyReader, HttpRequest } from "../../http/message/message.js";
import { join, tooLarge } from "../../http/message/read-body.js";

/** A request as plain data, and how to let go of a body that nobody waits for any more. */
export interface Translated {
  readonly request: HttpRequest;
  release(): void;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** A `Request` as plain data. Repeated header lines come joined, as `Headers` has them. */
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

/** The path and query of an absolute URL, such as every `Request` has. */
function targetOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const fragment = url.indexOf("#", start);
  return url.slice(start, fragment === -1 ? undefined : fragment);
}

/** Collects the body up to the bound, as long as the client stays. */
async function collect(reader: Reader, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const onAbort = (): void => giveUp(reader);
  signal.addEventListener("abort", onAbort);
  // A client may have left while the request was being authorized: its event has passed.
  if (signal.aborted) onAbort();
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      parts.push(next.value);
    }
    // A cancelled stream ends as if that had been all.
    if (signal.aborted) throw aborted();
    return join(parts, length);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Not awaited: the source may never answer. */
function giveUp(reader: Reader): void {
  reader.cancel().catch(() => {});
}

function aborted(): AsyncReplyError {
  return new AsyncReplyError("BODY_ABORTED", "The body ended too early.");
}

function alreadyRead(): AsyncReplyError {
  return new AsyncReplyError(
    "BODY_ALREADY_READ",
    "Something before toFetchHandler has read the body: give it the request as it came, or a clone made before.",
  );
}
