/** Media type as in a header field. */
export interface MediaType {
  /** Type and subtype in lower case, such as `application/json`. */
  readonly type: string;
  /** Parameters by name in lower case. Values have no quotes or escapes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads a media type (RFC 9110 §8.3.1) or a media range, which has the same grammar. Returns `undefined` for a value
 * that is malformed, repeats a parameter (RFC 6838 §4.3) or is longer than 1024 characters. Runs in linear time.
 */
export function parseMediaType(value: string): MediaType | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const start = blanksEnd(value, 0);
  const slash = tokenEnd(value, start);
  const end = tokenEnd(value, slash + 1);
  if (slash === start || value[slash] !== "/" || end === slash + 1) return undefined;
  const parameters = parseParameters(value, end);
  return parameters && { type: value.slice(start, end).toLowerCase(), parameters };
}

const MAX_LENGTH = 1024;

/** Parses `*( OWS ";" OWS [ name "=" value ] )` up to the end of the text (RFC 9110 §5.6.6). */
function parseParameters(text: string, start: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (let at = blanksEnd(text, start); at < text.length; at = blanksEnd(text, at)) {
    if (text[at] !== ";") return undefined;
    at = blanksEnd(text, at + 1);
    const equals = tokenEnd(text, at);
    if (equals === at) continue; // an empty parameter is allowed
    const name = text.slice(at, equals).toLowerCase();
    at = text[equals] === "=" ? valueEnd(text, equals + 1) : -1;
    if (at === -1 || parameters.has(name)) return undefined;
    parameters.set(name, unquote(text.slice(equals + 1, at)));
  }
  return parameters;
}

/** Returns the end of the token or quoted string that starts at `start`, or -1 if there is neither. */
function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return quotedEnd(text, start);
  const end = tokenEnd(text, start);
  return end === start ? -1 : end;
}

function quotedEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === "\\") at++;
    if (!isQuotable(text.charCodeAt(at))) return -1;
  }
  return -1;
}

/** Returns whether a character is a tab, space, visible ASCII or obs-text (RFC 9110 §5.6.4). */
function isQuotable(code: number): boolean {
  return code === 0x09 || (code >= 0x20 && code <= 0xff && code !== 0x7f);
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value;
}

function blanksEnd(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

function tokenEnd(text: string, start: number): number {
  let at = start;
  while (isTokenCharacter(text.charCodeAt(at))) at++;
  return at;
}

/** Returns whether a character is visible ASCII and not a delimiter (RFC 9110 §5.6.2). */
function isTokenCharacter(code: number): boolean {
  if (code >= 0x61 && code <= 0x7a) return true; // fast path for lower-case letters
  return code > 0x20 && code < 0x7f && !'"(),/:;<=>?@[\\]{}'.includes(String.fromCharCode(code));
}
