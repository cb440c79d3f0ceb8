import { defineOrders, type Format } from "async-request-reply";
import { xmlFormat } from "async-request-reply/xml";
import { yamlFormat } from "async-request-reply/yaml";
import { orderYangFormats } from "async-request-reply/yang";
import { jsonFormat } from "../../src/formats/json.js";

const [yangJson, yangXml] = orderYangFormats;

/** Every format that the order service can have, by its media type. */
export const allFormats: Readonly<Record<string, Format>> = {
  "application/json": jsonFormat,
  "application/yaml": yamlFormat,
  "application/xml": xmlFormat,
  "application/yang-data+json": yangJson,
  "application/yang-data+xml": yangXml,
};

/** The option `formats` of a service with all formats. */
export const besidesJson: readonly Format[] = [yamlFormat, xmlFormat, ...orderYangFormats];

const { rootName, jsonSchema } = defineOrders();

/** An order as a client would write it in this format. */
export function writeOrder(mediaType: string, order: unknown): string {
  const context = { kind: "resource", name: rootName, ...(jsonSchema && { schema: jsonSchema }) } as const;
  return formatOf(mediaType).serialize(order, context);
}

/** Parses the body of an order. */
export function readOrder(mediaType: string, body: string): unknown {
  const limits = { maxDepth: 32 };
  return formatOf(mediaType).parse(Buffer.from(body), { limits, name: rootName, schema: jsonSchema });
}

function formatOf(mediaType: string): Format {
  const format = allFormats[mediaType];
  if (format === undefined) throw new Error(`Unknown format: ${mediaType}`);
  return format;
}
