import { isReadableStream } from "../../platform/streams.js";
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
