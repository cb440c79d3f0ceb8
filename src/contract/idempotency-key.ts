import { AsyncReplyError } from "./errors.js";
import { blanksEnd, parametersEnd, stringEnd } from "./structured-field.js";

/**
 * Reads the value of one `Idempotency-Key` header field. A key has two spellings:
 *
 * - A Structured Field String, as the draft requires (§2.1): `"k"`, printable ASCII with only the escapes `\"` and
 *   `\\` (RFC 8941 §4.2.5). Parameters after it must be well formed (§4.2.3.2) and are ignored.
 * - The bare key, as most clients send it: `k`, visible ASCII without `"`, `,` and `;`. Those could make it a broken
 *   string, a list or an item with parameters. Numbers and tokens have no special meaning.
 *
 * A key has 1 to 255 characters, and the value has at most 4096. Runs in linear time.
 *
 * Throws `INVALID_IDEMPOTENCY_KEY`.
 */
export function parseIdempotencyKey(value: string): string {
  if (/^[!#-+\--:<-~]{1,255}$/.test(value)) return value;
  if (value.length > MAX_VALUE_LENGTH) throw invalid(`is longer than ${MAX_VALUE_LENGTH} characters`);
  const start = blanksEnd(value, 0);
  const key = value[start] === '"' ? quotedKey(value, start) : bareKey(value, start);
  if (key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key;
  throw invalid(`must have 1 to ${MAX_KEY_LENGTH} characters, not ${key.length}`);
}

const MAX_KEY_LENGTH = 255;
const MAX_VALUE_LENGTH = 4096;

function invalid(rule: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_IDEMPOTENCY_KEY", `The header field Idempotency-Key ${rule}.`);
}

function bareKey(text: string, start: number): string {
  let end = start;
  while (isBareKeyPart(text.charCodeAt(end))) end++;
  if (blanksEnd(text, end) === text.length) return text.slice(start, end);
  throw invalid('must be a string in double quotes, or visible ASCII without `"`, `,` and `;`');
}

function quotedKey(text: string, start: number): string {
  const close = stringEnd(text, start);
  if (close === -1) {
    throw invalid('must have a closing quote, only printable ASCII, and no escapes but `\\"` and `\\\\`');
  }
  const end = parametersEnd(text, close);
  if (end === -1 || blanksEnd(text, end) !== text.length) {
    throw invalid("must be one string, with nothing but parameters after it");
  }
  return text.slice(start + 1, close - 1).replace(/\\(.)/g, "$1");
}

function isBareKeyPart(code: number): boolean {
  return code > 0x20 && code < 0x7f && !'",;'.includes(String.fromCharCode(code));
}
