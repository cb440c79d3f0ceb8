import type { HttpResponse } from "./message.js";

/** A body that comes in pieces. */
export type BodyStream = Exclude<HttpResponse["body"], string | Uint8Array | undefined>;

/** Returns whether a body comes in pieces. */
export function isStream(body: HttpResponse["body"]): body is BodyStream {
  return body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Lets go of a body that is never sent: its source may hold a connection or a timer. Throws for none. */
export function releaseBody(body: HttpResponse["body"]): void {
  // Not awaited: the source may never answer.
  if (isStream(body)) release(body).catch(() => {});
}

async function release(body: BodyStream): Promise<void> {
  if (isReadableStream(body)) await body.cancel();
  else await body[Symbol.asyncIterator]().return?.();
}

/**
 * Returns the pieces of a body. `return` releases it at once, also while a piece is awaited: the iterator that a
 * `ReadableStream` has on some platforms would wait for that piece.
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

/** Not every platform can iterate over these, and not every one is of this realm. */
export function isReadableStream(body: BodyStream): body is ReadableStream<Uint8Array> {
  return typeof (body as Partial<ReadableStream>).getReader === "function";
}
