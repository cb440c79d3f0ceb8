import type { JsonSchema } from "async-request-reply";
import type { PathOperation } from "async-request-reply/openapi";
import type { WireRequest, WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import { isJson } from "./described-reply.js";
import type { DocumentReader } from "./document-reader.js";

/**
 * Checks that a document requires no more of a request than its service does.
 *
 * @throws Error if the service accepted a request that the document excludes
 */
export function checkAccepted(
  reader: DocumentReader,
  { operationId, parameters = [], requestBody }: PathOperation,
  { path, headers, body }: WireRequest,
  { status }: WireResponse,
): void {
  if (status >= 400) return;
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const inPath = reader.pathValues(path.split("?", 1)[0] ?? "");
  for (const { in: place, name, required, schema } of parameters) {
    const inQuery = new URLSearchParams(path.split("?")[1]).get(name) ?? undefined;
    const value = { path: inPath.get(name), query: inQuery, header: values.get(name.toLowerCase()) }[place];
    const isAllowed = value === undefined ? !required : isValidText(reader, schema, value);
    if (!isAllowed) throw new Error(`${operationId} accepted a request whose ${name} is ${value}`);
  }
  if (requestBody === undefined) return;
  const [mediaType = ""] = (values.get("content-type") ?? "").toLowerCase().split(/[ ;]/, 1);
  const schema = requestBody.content[mediaType]?.schema;
  const text = textOf(body);
  const isAsSaid = schema !== undefined && (!isJson(mediaType) || reader.isValid(schema, JSON.parse(text)));
  if (!isAsSaid) throw new Error(`${operationId} accepted a body of the type ${mediaType}: ${text}`);
}

/** Parses a parameter: it is sent as text, but its schema describes the value. */
function isValidText(reader: DocumentReader, schema: JsonSchema, text: string): boolean {
  return reader.isValid(schema, schema.type === "integer" ? Number(text) : text);
}

function textOf(body: WireRequest["body"]): string {
  if (body === undefined || typeof body === "string") return body ?? "";
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  return Buffer.concat(body.chunks.map((chunk) => Buffer.from(chunk as string))).toString();
}
