import { AsyncReplyError, isAsyncReplyError } from "../core/errors.js";
import type { Clock } from "../ports/runtime.js";
import { withinTime } from "../steps/within-time.js";
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
export function readBody(
  request: HttpRequest,
  limits: BodyLimits,
  clock: Clock,
): Uint8Array | Promise<Uint8Array> {
  const { body, headers } = request;
  const { maxBodyBytes } = limits;
  if (Number(header(headers, "content-length")) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  if (body === undefined) return new Uint8Array();
  if (typeof body === "string") return bounded(toBytes(body), maxBodyBytes);
  if (body instanceof Uint8Array) return bounded(body, maxBodyBytes);
  const reading = typeof body === "function" ? body(maxBodyBytes) : body[Symbol.asyncIterator]();
  return reading instanceof Uint8Array ? reading : readSlowly(reading, limits, clock);
}

async function readSlowly(
  source: Promise<Uint8Array> | Chunks,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
  clock: Clock,
): Promise<Uint8Array> {
  const reading = source instanceof Promise ? source : collect(source, maxBodyBytes);
  try {
    return await withinTime(reading, bodyTimeoutMs, clock, tooSlow);
  } catch (error) {
    // Not awaited: a source that hangs may hang here too.
    if (!(source instanceof Promise)) source.return?.()?.catch(() => {});
    throw isAsyncReplyError(error) ? error : broken(error);
  }
}

type Chunks = AsyncIterator<Uint8Array>;

/** Collects a stream up to a bound. */
async function collect(chunks: Chunks, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    length += next.value.byteLength;
    if (length > maxBytes) throw tooLarge(maxBytes);
    parts.push(next.value);
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

function broken(cause: unknown): AsyncReplyError {
  return new AsyncReplyError("BODY_ABORTED", "The body ended too early.", { cause });
}

function tooSlow(): AsyncReplyError {
  return new AsyncReplyError("BODY_TIMEOUT", "The body did not arrive in time.");
}
