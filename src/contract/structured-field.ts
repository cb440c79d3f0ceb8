// Each function reads one rule of structured fields (RFC 8941 §4.2) from `start`. It returns the end of the match, or -1 if
// the rule is not met.

/** Reads any number of parameters (§4.2.3.2). */
export function parametersEnd(text: string, start: number): number {
  let at = start;
  while (text[at] === ";") {
    at = nameEnd(text, runEnd(text, at + 1, isSpace));
    if (at === -1) return -1;
    if (text[at] === "=") at = bareItemEnd(text, at + 1);
  }
  return at;
}

/** Reads the value of a member of a dictionary, if it has one, and its parameters, from the end of its name (§4.2.2). */
export function memberEnd(text: string, start: number): number {
  if (text[start] !== "=") return parametersEnd(text, start);
  const value = text[start + 1] === "(" ? innerListEnd(text, start + 1) : bareItemEnd(text, start + 1);
  return value === -1 ? -1 : parametersEnd(text, value);
}

/** Reads an inner list without its parameters (§4.2.1.2). */
function innerListEnd(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    at = runEnd(text, at, isSpace);
    if (text[at] === ")") return at + 1;
    const item = bareItemEnd(text, at);
    at = item === -1 ? -1 : parametersEnd(text, item);
    if (text[at] !== " " && text[at] !== ")") return -1;
  }
}

/** Reads the name of a parameter or of a member of a dictionary (§4.2.3.3). */
export function nameEnd(text: string, start: number): number {
  return isNameStart(text.charCodeAt(start)) ? runEnd(text, start, isNamePart) : -1;
}

/** Reads a number, string, token, byte sequence or boolean (§4.2.3.1). */
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

/** Reads a string, from its first quote (§4.2.5). */
export function stringEnd(text: string, start: number): number {
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
export function blanksEnd(text: string, start: number): number {
  return runEnd(text, start, isBlank);
}

function isSpace(code: number): boolean {
  return code === 0x20;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Returns a test for a set of characters. Past the end, `charCodeAt` returns NaN, which is in no set. */
function oneOf(characters: string): (code: number) => boolean {
  return (code) => code > 0 && characters.includes(String.fromCharCode(code));
}

const QUOTE = 0x22;
const MINUS = 0x2d;
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
