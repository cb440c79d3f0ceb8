import type { OpenApiResponse, PathOperation } from "async-request-reply/openapi";
import type { WireResponse } from "../support/adapter-suite/fixtures/adapter-case.js";
import type { DocumentReader } from "./document-reader.js";
import { possibleFacts, shownFacts } from "./facts.js";

/** Fields that the transport adds to every reply, and `Content-Type`, which OpenAPI describes with `content`. */
const TRANSPORT = ["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"];

/** Returns everything that a document says about the replies of an operation. */
export function factsOfReplies(reader: DocumentReader, operation: PathOperation): string[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const at = `${operation.operationId} ${status}`;
    const fields = [...reader.headersOf(response)].flatMap(([name, { required }]) => [
      `${at} ${name}`,
      ...(required ? [] : [`${at} without ${name}`]),
    ]);
    const bodies = Object.entries(response.content ?? {}).flatMap(([mediaType, { schema }]) => [
      `${at} ${mediaType}`,
      ...possibleFacts(schema, `${at} body`, reader.resolve),
    ]);
    return [at, ...fields, ...bodies];
  });
}

/**
 * Returns everything that a reply shows about its operation.
 *
 * @throws Error if a value of the reply does not match the document
 */
export function factsOfReply(
  reader: DocumentReader,
  operation: PathOperation,
  reply: WireResponse,
): string[] {
  const at = `${operation.operationId} ${reply.status}`;
  const response = operation.responses[reply.status];
  if (response === undefined) return [at];
  return [at, ...factsOfFields(reader, response, reply, at), ...factsOfBody(reader, response, reply, at)];
}

/** Returns what the header fields show: those that are present, and those in the document that are absent. */
export function factsOfFields(
  reader: DocumentReader,
  response: OpenApiResponse,
  reply: WireResponse,
  at: string,
): string[] {
  const described = reader.headersOf(response);
  const sent = new Map(reply.headers.filter(([name]) => !TRANSPORT.includes(name)));
  for (const [name, value] of sent) {
    const { schema = {} } = described.get(name) ?? {};
    // A field is sent as text, but its schema describes the value.
    if (!reader.isValid(schema, schema.type === "integer" ? Number(value) : value))
      throw new Error(`${at}: the field ${name} is ${value}`);
  }
  const names = new Set([...described.keys(), ...sent.keys()]);
  return [...names].map((name) => (sent.has(name) ? `${at} ${name}` : `${at} without ${name}`));
}

/** Returns whether a body of this type is JSON. */
export function isJson(mediaType: string): boolean {
  return /[/+]json$/.test(mediaType);
}

function factsOfBody(
  reader: DocumentReader,
  { content }: OpenApiResponse,
  { headers, body }: WireResponse,
  at: string,
): string[] {
  const [, mediaType] = headers.find(([name]) => name === "content-type") ?? [];
  if (mediaType === undefined) return content === undefined && body === "" ? [] : [`${at} without a body`];
  const schema = content?.[mediaType]?.schema;
  // A schema describes JSON. In another format, it describes the value that the parser returns.
  if (schema === undefined || !isJson(mediaType)) return [`${at} ${mediaType}`];
  const value: unknown = JSON.parse(body);
  if (!reader.isValid(schema, value)) throw new Error(`${at}: the body is ${body}`);
  return [`${at} ${mediaType}`, ...shownFacts(schema, value, `${at} body`, reader)];
}
