import type { HttpResponse } from "./message.js";

/** A response body that is sent in chunks. */
export type BodyStream = Exclude<HttpResponse["body"], string | Uint8Array | undefined>;

/** Returns whether a body is a stream. */
export function isStream(body: HttpResponse["body"]): body is BodyStream {
  return body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Releases a body that is never sent, because its source may hold a connection or a timer. Never throws. */
export function releaseBody(body: HttpResponse["body"]): void {
  // Not awaited, because the source may never settle.
  if (isStream(body)) release(body).catch(() => {});
}

async function release(body: BodyStream): Promise<void> {
  if (isReadableStream(body)) await body.cancel();
  else await body[Symbol.asyncIterator]().return?.();
}

/**
 * Returns the chunks of a body. `return` releases the body at once, even while a chunk is awaited. On some platforms,
 * the built-in iterator of a `ReadableStream` would wait for that chunk.
 */
export function toChunks(body: BodyStream): AsyncIterable<Uint8Array> {
  if (!isReadableStream(body)) return body;
  const reader = body.getReader();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Checks for `getReader`, because streams of another realm are not `instanceof ReadableStream`. */
export function isReadableStream(body: BodyStream): body is ReadableStream<Uint8Array> {
  return typeof (body as Partial<ReadableStream>).getReader === "function";
}
