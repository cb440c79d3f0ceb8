import { AsyncReplyError } from "./errors.js";
import type { JsonText } from "./operation.js";

/**
 * Turns a value that a user's code gave into JSON text. What `JSON.stringify` would drop or change without a word
 * (functions, symbols, NaN) is refused like what it cannot write (BigInt, cycles).
 *
 * @throws AsyncReplyError `INVALID_RESULT`
 */
export function toJsonText(value: unknown, maxBytes: number): JsonText {
  const text = stringify(value);
  if (text === undefined) throw invalid("It has no JSON form.");
  if (utf8Length(text) > maxBytes) throw invalid(`It is larger than ${maxBytes} bytes.`);
  return text;
}

/** The number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A surrogate pair is two units and four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, refuseSilentChange);
  } catch (cause) {
    throw invalid("It has no JSON form.", cause);
  }
}

function refuseSilentChange(_name: string, value: unknown): unknown {
  const changes =
    typeof value === "function" ||
    typeof value === "symbol" ||
    (typeof value === "number" && !Number.isFinite(value));
  if (changes) throw new TypeError(`A ${typeof value} has no JSON form.`);
  return value;
}

function invalid(detail: string, cause?: unknown): AsyncReplyError {
  return new AsyncReplyError("INVALID_RESULT", detail, cause === undefined ? {} : { cause });
}
