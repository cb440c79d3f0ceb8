import { AsyncReplyError } from "./errors.js";

/**
 * Reads the value of one `Idempotency-Key` line. Two spellings denote the same key:
 *
 * - a Structured Field String, as the draft asks for (§2.1): `"k"`, printable ASCII with the escapes `\"` and `\\` only
 *   (RFC 8941 §4.2.5). Parameters after it must be well formed (§4.2.3.2) and are ignored.
 * - the bare key, as most clients send it: `k`, visible ASCII without `"`, `,` and `;`, which could make it a broken
 *   string, a list or an item with parameters. It is taken as it stands: numbers and tokens are nothing special.
 *
 * A key has 1 to 255 characters. Time is linear in the length of the value.
 *
 * @throws AsyncReplyError `INVALID_IDEMPOTENCY_KEY`
 */
export function parseIdempotencyKey(value: string): string {
  const text = value.replace(/^[ \t]+/, "");
  const key = text.startsWith('"') ? quotedKey(text) : bareKey(text);
  if (key.length >= 1 && key.length <= MAX_LENGTH) return key;
  throw invalid(`must have 1 to ${MAX_LENGTH} characters, not ${key.length}`);
}

const MAX_LENGTH = 255;

function invalid(rule: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_IDEMPOTENCY_KEY", `The header field Idempotency-Key ${rule}.`);
}

function bareKey(text: string): string {
  const end = runEnd(text, 0, isBareKeyCharacter);
  if (blanksEnd(text, end) === text.length) return text.slice(0, end);
  throw invalid('must be a string in double quotes, or visible ASCII without `"`, `,` and `;`');
}

function quotedKey(text: string): string {
  const close = stringEnd(text, 0);
  if (close === -1)
    throw invalid('must have a closing quote, only printable ASCII, and no escapes but `\\"` and `\\\\`');
  const end = parametersEnd(text, close);
  if (end === -1 || blanksEnd(text, end) !== text.length) {
    throw invalid("must be one string, with nothing but parameters after it");
  }
  return text.slice(1, close - 1).replace(/\\(.)/g, "$1");
}

// Below, each function reads one rule of RFC 8941 §4.2 from `start` and gives where it ends, or -1 where it is not met.

function parametersEnd(text: string, start: number): number {
  let at = start;
  while (text[at] === ";") {
    const name = runEnd(text, at + 1, (character) => character === " ");
    if (!/[a-z*]/.test(text[name] ?? "")) return -1;
    at = runEnd(text, name, (character) => /[a-z0-9_\-.*]/.test(character));
    if (text[at] === "=") at = bareItemEnd(text, at + 1);
  }
  return at;
}

function bareItemEnd(text: string, start: number): number {
  const first = text[start] ?? "";
  if (first === '"') return stringEnd(text, start);
  if (first === "?") return text[start + 1];
  return -1;
}
