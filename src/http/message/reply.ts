import type { JsonSchema, OperationDefinition } from "../../contract/definition.js";
import { utf8Length } from "../../contract/json/json-text.js";
import type { Format, Representation } from "../../formats/format.js";
import type { HttpResponse } from "./message.js";
import type { ProblemReply } from "./problems.js";

/** What a reply shows, and how. */
export interface Shown {
  readonly status: number;
  readonly kind: Representation;
  /** The name of the definition, for formats that name their root after it. */
  readonly name: string;
  /** By which formats without types of their own write the value, if it is known. */
  readonly schema?: JsonSchema | undefined;
  readonly value: unknown;
}

/** Header fields that are still being put together. */
export type Fields = Record<string, string>;

/**
 * A reply with a representation in a negotiated format. Takes over `fields` and completes them: copying them for every
 * reply was measured to cost as much as writing the body.
 */
export function reply(
  format: Format,
  { status, kind, name, schema, value }: Shown,
  fields: Fields,
): HttpResponse {
  const body = format.serialize(value, schema === undefined ? { kind, name } : { kind, name, schema });
  // The format was negotiated (RFC 9110 §12.5.5).
  fields.vary = "accept";
  return complete(status, format.mediaTypes[0], body, fields);
}

/** A problem reply (RFC 9457). It is sent whatever the client accepts: §3 allows it, and silence helps nobody. */
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
  return complete(status, format.problemMediaType, text, fields);
}

/** What a 200 has, without what describes the content (RFC 9110 §15.4.5). */
export function notModified({ headers }: HttpResponse): HttpResponse {
  const { "content-type": _, "content-length": __, ...fields } = headers;
  return emptyReply(304, fields);
}

/** A reply without content. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>>): HttpResponse {
  return { status, headers };
}

function complete(status: number, mediaType: string, body: string, fields: Fields): HttpResponse {
  fields["content-type"] = mediaType;
  fields["content-length"] = String(utf8Length(body));
  fields["x-content-type-options"] = "nosniff";
  return { status, headers: fields, body };
}
