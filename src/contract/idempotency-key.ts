import { AsyncReplyError } from "./errors.js";

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

// Each function below reads one rule of RFC 8941 §4.2. It returns the end of the match, or -1 if the rule is not met.

function parametersEnd(text: string, start: number): number {
  let at = start;
  while (text[at] === ";") {
    const name = runEnd(text, at + 1, isSpace);
    if (!isNameStart(text.charCodeAt(name))) return -1;
    at = runEnd(text, name, isNamePart);
    if (text[at] === "=") at = bareItemEnd(text, at + 1);
  }
  return at;
}

function bareItemEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  if (first === MINUS) return numberEnd(text, start + 1);
  if (isDigit(first)) return numberEnd(text, start);
  if (isTokenStart(first)) return runEnd(text, start, isTokenPart);
  if (text.startsWith("?0", start) || text.startsWith("?1", start)) return start + 2;
  const end = runEnd(text, start + 1, isBase64);
  return text[start] === ":" && text[end] === ":" ? end + 1 : -1;
}

function numberEnd(text: string, start: number): number {
  const point = runEnd(text, start, isDigit);
  const digits = point - start;
  if (text[point] !== ".") return digits >= 1 && digits <= 15 ? point : -1;
  const end = runEnd(text, point + 1, isDigit);
  const decimals = end - point - 1;
  return digits >= 1 && digits <= 12 && decimals >= 1 && decimals <= 3 ? end : -1;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH && text[++at] !== '"' && text[at] !== "\\") return -1;
    if (code < 0x20 || code > 0x7e) return -1;
  }
  return -1;
}

function runEnd(text: string, start: number, isMember: (code: number) => boolean): number {
  let at = start;
  while (isMember(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Skips spaces and tabs, which may surround a header field (RFC 9110 §5.6.3). Most servers have already removed them.
 */
function blanksEnd(text: string, start: number): number {
  return runEnd(text, start, isBlank);
}

function isSpace(code: number): boolean {
  return code === 0x20;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function isBareKeyPart(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== QUOTE && code !== COMMA && code !== SEMICOLON;
}

/** Returns a test for a set of characters. Past the end, `charCodeAt` returns NaN, which is in no set. */
function oneOf(characters: string): (code: number) => boolean {
  return (code) => code > 0 && characters.includes(String.fromCharCode(code));
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

const isDigit = oneOf(DIGITS);
const isNameStart = oneOf(`${LOWER}*`);
const isNamePart = oneOf(`${LOWER}${DIGITS}_-.*`);
const isTokenStart = oneOf(`${LETTERS}*`);
const isTokenPart = oneOf(`${LETTERS}${DIGITS}!#$%&'*+-.^_\`|~:/`);
const isBase64 = oneOf(`${LETTERS}${DIGITS}+/=`);
