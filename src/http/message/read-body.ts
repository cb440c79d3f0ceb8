import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import { adoptPromise } from "../../contract/options.js";
import { withinTime } from "../../platform/waits.js";
import type { Clock } from "../../ports/runtime.js";
import type { HttpRequest } from "./message.js";

export interface BodySettings {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

const encoder = new TextEncoder();

/**
 * Reads the body. Checks the size limit against `Content-Length`, and then against the bytes that arrive
 * (RFC 9110 §15.5.14).
 *
 * Throws `BODY_TOO_LARGE`, `BODY_TIMEOUT`, `BODY_ABORTED`.
 *
 * @param declaredLength `Content-Length` as it was sent
 */
export function readBody(
  { body }: HttpRequest,
  declaredLength: string | undefined,
  limits: BodySettings,
  clock: Clock,
): Uint8Array | Promise<Uint8Array> {
  const { maxBodyBytes } = limits;
  if (Number(declaredLength) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  if (body === undefined) return new Uint8Array();
  if (typeof body === "string") return bounded(toBytes(body), maxBodyBytes);
  if (isBytes(body)) return bounded(body, maxBodyBytes);
  try {
    if (typeof body === "function") {
      const reading = adoptPromise(body(maxBodyBytes));
      return reading instanceof Promise ? readSlowly(reading, limits, clock) : bounded(reading, maxBodyBytes);
    }
    const chunks = body[Symbol.asyncIterator]();
    return readSlowly(collect(chunks, maxBodyBytes), limits, clock, () => chunks.return?.());
  } catch (error) {
    throw toBodyError(error);
  }
}

async function readSlowly(
  reading: Promise<Uint8Array>,
  { maxBodyBytes, bodyTimeoutMs }: BodySettings,
  clock: Clock,
  cancel: () => unknown = () => {},
): Promise<Uint8Array> {
  try {
    return bounded(await withinTime(reading, bodyTimeoutMs, clock, tooSlow), maxBodyBytes);
  } catch (error) {
    // Not awaited, because a source that hangs may hang here too. Errors are dropped: the reply is already decided.
    Promise.resolve()
      .then(cancel)
      .catch(() => {});
    throw toBodyError(error);
  }
}

type Chunks = AsyncIterator<Uint8Array>;

async function collect(chunks: Chunks, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    length += checkBytes(next.value).byteLength;
    if (length > maxBytes) throw tooLarge(maxBytes);
    parts.push(next.value);
  }
  return join(parts, length);
}

/** Returns the error for a body that is too large. */
export function tooLarge(maxBytes: number): AsyncReplyError {
  return new AsyncReplyError(
    "BODY_TOO_LARGE",
    `The body is larger than ${maxBytes} bytes. Send a smaller one.`,
  );
}

/** Joins chunks whose total length is known. */
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
  if (checkBytes(bytes).byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

/** Refuses chunks that are strings: they have no length in bytes, so no limit would apply. */
function checkBytes(bytes: Uint8Array): Uint8Array {
  if (isBytes(bytes)) return bytes;
  throw new AsyncReplyError(
    "INTERNAL",
    `The body of a request must consist of Uint8Array chunks, not ${typeof bytes}.`,
  );
}

/** Returns true for a Uint8Array of any realm, unlike `instanceof`. Never throws. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";
}

function toBytes(text: string): Uint8Array {
  // The encoder would silently replace lone surrogates.
  if (!text.isWellFormed())
    throw new AsyncReplyError("MALFORMED_BODY", "The body is not well-formed Unicode text.");
  return encoder.encode(text);
}

function toBodyError(error: unknown): AsyncReplyError {
  if (isAsyncReplyError(error)) return error;
  return new AsyncReplyError("BODY_ABORTED", "The body ended too early.", {
    cause: error,
  });
}

function tooSlow(): AsyncReplyError {
  return new AsyncReplyError("BODY_TIMEOUT", "The body did not arrive in time. Send the request again.");
}
