import { AsyncReplyError } from "../../contract/errors.js";
import type { HeaderFields, HttpRequest, JoinedFields } from "./message.js";

/** Returns the value of a header field, or all values if the field is repeated. The name must be in lower case. */
export function fieldValue(headers: HeaderFields, name: string): string | readonly string[] | undefined {
  if (!Array.isArray(headers)) {
    return isJoined(headers) ? (headers.get(name) ?? undefined) : inObject(headers as FieldObject, name);
  }
  return typeof headers[0] === "string" ? inFlatList(headers, name) : inPairs(headers, name);
}

/** Returns the value of a header field. Repeated lines are joined to a list (RFC 9110 §5.3). */
export function header(headers: HeaderFields, name: string): string | undefined {
  const value = fieldValue(headers, name);
  return typeof value === "object" ? value.join(", ") : value;
}

/**
 * Returns the value of a header field that must not be repeated. If the first or last line won silently, two readers
 * of one request could disagree.
 *
 * Throws `INVALID_HEADER`.
 */
export function singleHeader(headers: HeaderFields, name: string): string | undefined {
  const value = fieldValue(headers, name);
  if (typeof value !== "object") return value;
  throw new AsyncReplyError("INVALID_HEADER", `The header field ${name} must not be repeated. Send it once.`);
}

/** Splits at commas outside of quoted strings, and drops empty elements (RFC 9110 §5.6.1.2). */
export function splitList(text: string): string[] {
  const elements: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === "\\" && isQuoted) at++;
    else if (text[at] === "," && !isQuoted) {
      elements.push(text.slice(start, at));
      start = at + 1;
    }
  }
  elements.push(text.slice(start));
  return elements.filter((element) => element.trim() !== "");
}

/** The default of Node. Parsers drop header fields beyond their limit without an error. */
const MAX_FIELDS = 1_000;

/**
 * Refuses a request whose header fields may be incomplete, because a dropped key or credential would not be checked.
 * Takes constant time.
 *
 * Throws `TOO_MANY_HEADER_FIELDS`.
 */
export function refuseManyFields({ headers, headersTruncated = false }: HttpRequest): void {
  const length = Array.isArray(headers) ? headers.length : 0;
  const count = typeof (headers as readonly unknown[])[0] === "string" ? length / 2 : length;
  if (count <= MAX_FIELDS && !headersTruncated) return;
  const detail = "The request has more header fields than the server reads. Send fewer header fields.";
  throw new AsyncReplyError("TOO_MANY_HEADER_FIELDS", detail);
}

type FieldObject = Readonly<Record<string, string | readonly string[] | undefined>>;
type Found = string | readonly string[] | undefined;

function isJoined(headers: HeaderFields): headers is JoinedFields {
  return typeof (headers as Partial<JoinedFields>).get === "function";
}

function inObject(headers: FieldObject, name: string): Found {
  let found: Found;
  for (const key in headers) {
    const value = is(key, name) ? headers[key] : undefined;
    if (typeof value === "string") found = add(found, value);
    else if (value !== undefined) for (const line of value) found = add(found, line);
  }
  return found;
}

function inPairs(headers: readonly (readonly [string, string])[], name: string): Found {
  let found: Found;
  for (const [key, value] of headers) if (is(key, name)) found = add(found, value);
  return found;
}

function inFlatList(headers: readonly string[], name: string): Found {
  let found: Found;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (is(headers[at] as string, name)) found = add(found, headers[at + 1] as string);
  }
  return found;
}

function add(found: Found, value: string): Found {
  if (found === undefined) return value;
  return typeof found === "string" ? [found, value] : [...found, value];
}

function is(candidate: string, name: string): boolean {
  return candidate.length === name.length && (candidate === name || candidate.toLowerCase() === name);
}
