import { AsyncReplyError } from "../../contract/errors.js";
import type { HeaderFields, HttpRequest, JoinedFields } from "./message.js";

/** Returns the value of a header field, or all values if the field is repeated. The name must be in lower case. */
function fieldValue(headers: HeaderFields, name: string): string | readonly string[] | undefined {
  if (!Array.isArray(headers)) {
    return isJoined(headers) ? (headers.get(name) ?? undefined) : inObject(headers as FieldObject, name);
  }
  return typeof headers[0] === "string" ? inFlatList(headers, name) : inPairs(headers, name);
}

/** Returns the value of a header field. Repeated lines are joined to a list (RFC 9110 §5.3). */
export function header(headers: HeaderFields, name: string): string | undefined {
  return joined(fieldValue(headers, name));
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
  throw repeated(name);
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

/** Header fields that the service itself reads. Hooks read any others. */
const READ = [
  "accept",
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "prefer",
  "priority",
  "transfer-encoding",
  "webhook-url",
] as const;

type ReadName = (typeof READ)[number];

/** Names as HTTP/2 and most HTTP/1.1 clients send them. Other spellings take the slower way. */
const READ_BY_SPELLING: ReadonlyMap<string, ReadName> = new Map(
  READ.flatMap((name) => [
    [name, name],
    [name.replace(/(^|-)[a-z]/g, (first) => first.toUpperCase()), name],
  ]),
);
const LONGEST = Math.max(...READ.map(({ length }) => length));

/** The header fields that the service itself reads, by name. A repeated field has all its values. */
export type RequestFields = { readonly [Name in ReadName]: Found };

/**
 * Picks the header fields that the service itself reads, in one pass over the list.
 *
 * Throws `TOO_MANY_HEADER_FIELDS`.
 */
export function readFields(request: HttpRequest): RequestFields {
  refuseManyFields(request);
  const { headers } = request;
  const fields: Picked = {
    accept: undefined,
    authorization: undefined,
    "content-encoding": undefined,
    "content-length": undefined,
    "content-type": undefined,
    "idempotency-key": undefined,
    "if-none-match": undefined,
    prefer: undefined,
    priority: undefined,
    "transfer-encoding": undefined,
    "webhook-url": undefined,
  };
  if (!Array.isArray(headers)) pickFromObject(headers as JoinedFields | FieldObject, fields);
  else if (typeof headers[0] === "string") pickFromFlatList(headers, fields);
  else for (const [spelled, value] of headers) pick(fields, spelled, value);
  return fields;
}

type Picked = { -readonly [Name in ReadName]: Found };

function pickFromFlatList(headers: readonly string[], fields: Picked): void {
  for (let at = 0; at + 1 < headers.length; at += 2)
    pick(fields, headers[at] as string, headers[at + 1] as string);
}

function pickFromObject(headers: JoinedFields | FieldObject, fields: Picked): void {
  if (isJoined(headers)) {
    for (const name of READ) fields[name] = headers.get(name) ?? undefined;
    return;
  }
  for (const spelled in headers) {
    const value = headers[spelled];
    if (typeof value === "string") pick(fields, spelled, value);
    else if (value !== undefined) for (const line of value) pick(fields, spelled, line);
  }
}

function pick(fields: Picked, spelled: string, value: string): void {
  if (spelled.length > LONGEST) return;
  const name = READ_BY_SPELLING.get(spelled) ?? READ_BY_SPELLING.get(spelled.toLowerCase());
  if (name !== undefined) fields[name] = add(fields[name], value);
}

/** Returns the value of a field. Repeated lines are joined to a list (RFC 9110 §5.3). */
export function joined(value: Found): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

/**
 * Returns the value of a field that must not be repeated. If the first or last line won silently, two readers of one
 * request could disagree.
 *
 * Throws `INVALID_HEADER`.
 */
export function single(fields: RequestFields, name: ReadName): string | undefined {
  const value = fields[name];
  if (typeof value === "object") throw repeated(name);
  return value;
}

function repeated(name: string): AsyncReplyError {
  return new AsyncReplyError(
    "INVALID_HEADER",
    `The header field ${name} must not be repeated. Send it once.`,
  );
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
