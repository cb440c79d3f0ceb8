import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import { utf8Length } from "../../contract/json/json-text.js";
import type { Format, Representation } from "../../formats/format.js";
import { isReadableStream } from "../../platform/streams.js";
import type { HttpResponse } from "./message.js";
import type { ProblemReply } from "./problems.js";

/** The representation in a reply. */
export interface Shown {
  readonly status: number;
  readonly kind: Representation;
  /** Name of the definition, for formats that name their root element after it. */
  readonly name: string;
  /** JSON Schema of the value, if known. Formats without types, such as XML, follow it. */
  readonly schema?: JsonSchema | undefined;
  readonly value: unknown;
}

/** Header fields of a reply under construction. */
export type Fields = Record<string, string>;

/**
 * Creates a reply with a representation in the negotiated format. Completes `fields` in place: measurements showed
 * that a copy costs as much as serializing the body.
 */
export function reply(
  format: Format,
  { status, kind, name, schema, value }: Shown,
  fields: Fields,
): HttpResponse {
  const body = format.serialize(value, schema === undefined ? { kind, name } : { kind, name, schema });
  // RFC 9110 §12.5.5.
  fields.vary = "accept";
  return completeReply(status, format.mediaTypes[0], body, fields);
}

/** Creates a problem reply (RFC 9457). The client gets it even if `Accept` does not allow it, as §3 permits. */
export function problemReply(
  { status, body, headers }: ProblemReply,
  format: Format,
  about: { readonly negotiated: boolean; readonly definition: OperationDefinition | undefined },
): HttpResponse {
  const { rootName: name = "problem", jsonSchema } = about.definition ?? {};
  const schema = jsonSchema === undefined ? {} : { schema: jsonSchema };
  const text = format.serialize(body, { kind: "problem", name, ...schema });
  const fields: Fields = { "cache-control": "no-store", ...headers };
  if (about.negotiated) fields.vary = "accept";
  return completeReply(status, format.problemMediaType, text, fields);
}

/** Turns a 200 into a 304, without the body and the fields that describe it (RFC 9110 §15.4.5). */
export function notModified({ headers }: HttpResponse): HttpResponse {
  const { "content-type": _, "content-length": __, ...fields } = headers;
  return emptyReply(304, fields);
}

/** Creates a reply without a body. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers };
}

/** Creates a reply with a body. Completes `fields` in place. */
export function completeReply(status: number, mediaType: string, body: string, fields: Fields): HttpResponse {
  fields["content-type"] = mediaType;
  fields["content-length"] = String(utf8Length(body));
  fields["x-content-type-options"] = "nosniff";
  return { status, headers: fields, body };
}

/** A response body that is sent in chunks. */
export type BodyStream = Exclude<HttpResponse["body"], string | Uint8Array | undefined>;

/** Returns whether a body is a stream. */
export function isStream(body: HttpResponse["body"]): body is BodyStream {
  return body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Releases a body that is never sent, because its source may hold a connection or a timer. Never throws. */
export function releaseBody(body: HttpResponse["body"]): void {
  // Not awaited, because the source may never settle.
  if (isStream(body)) release(body).catch(() => {});
}

async function release(body: BodyStream): Promise<void> {
  if (isReadableStream(body)) await body.cancel();
  else await body[Symbol.asyncIterator]().return?.();
}

/** Returns a strong entity tag of the body and its media type, so two formats never share a tag (RFC 9110 §8.8.3). */
export function entityTag(
  { headers, body }: HttpResponse,
  hash: (text: string) => string | Promise<string>,
): string | Promise<string> {
  const digest = hash(`${headers["content-type"]}\n${body as string}`);
  return typeof digest === "string" ? toTag(digest) : digest.then(toTag);
}

function toTag(digest: string): string {
  return `"${digest.slice(0, TAG_LENGTH)}"`;
}

/** 132 bits of the digest, enough that two representations of one operation never collide. */
const TAG_LENGTH = 22;

/** Returns whether `If-None-Match` matches this tag. Compares weakly, and accepts lists and `*` (RFC 9110 §13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  // These tags contain no commas, so a plain split finds them in any list.
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
