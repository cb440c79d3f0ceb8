import { AsyncReplyError } from "../core/errors.js";
import type { Clock } from "../ports/runtime.js";
import { header } from "./headers.js";
import type { HttpRequest } from "./message.js";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

const encoder = new TextEncoder();

/**
 * Reads the body with a bound: refused by its `Content-Length`, and again by the bytes that come (RFC 9110 §15.5.14).
 *
 * @throws AsyncReplyError `BODY_TOO_LARGE`, `BODY_TIMEOUT`, `BODY_ABORTED`
 */
export async function readBody(request: HttpRequest, limits: BodyLimits, clock: Clock): Promise<Uint8Array> {
  const { body, headers } = request;
  const { maxBodyBytes } = limits;
  if (Number(header(headers, "content-length")) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  if (body === undefined) return new Uint8Array();
  if (typeof body === "string") return bounded(toBytes(body), maxBodyBytes);
  if (body instanceof Uint8Array) return bounded(body, maxBodyBytes);
  const stopping = new AbortController();
  const cancel = clock.schedule(limits.bodyTimeoutMs, () => stopping.abort());
  try {
    const reading =
      typeof body === "function" ? body(maxBodyBytes, stopping.signal) : collect(body, maxBodyBytes);
    return await Promise.race([reading, aborted(stopping.signal)]);
  } finally {
    cancel();
  }
}

/** Collects a stream up to a bound. */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLarge(maxBytes);
    parts.push(chunk);
  }
  return join(parts, length);
}

/** The error of a body that is too large. */
export function tooLarge(maxBytes: number): AsyncReplyError {
  return new AsyncReplyError("BODY_TOO_LARGE", `The body may have at most ${maxBytes} bytes.`);
}

/** One array for all parts. */
export function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

function bounded(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

function toBytes(text: string): Uint8Array {
  // The encoder would replace a lone surrogate without a word.
  if (!text.isWellFormed()) throw new AsyncReplyError("MALFORMED_BODY", "The body is not Unicode text.");
  return encoder.encode(text);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () =>
      reject(new AsyncReplyError("BODY_TIMEOUT", "The body did not arrive in time.")),
    );
  });
}
