import type { JsonSchema, OperationDefinition } from "../../contract/definition/definition.js";
import { utf8Length } from "../../contract/json/json-text.js";
import type { Format, Representation } from "../../formats/format.js";
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
