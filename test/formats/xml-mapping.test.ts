import { allowAnonymous, createOrderService, type Problem } from "async-request-reply";
import { problemType } from "async-request-reply/ports";
import { xmlFormat } from "async-request-reply/xml";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/contract/definition/definition.js";
import { rowsOf } from "../support/tables.js";
import { mappings, orders, readings } from "./xml-rows.js";

const PAGE = "docs/formats.md";

/** In the tables, the schema is that of the member `m` or, if there is no `m`, of the whole value. */
function schemaFor(schema: string, json: string): JsonSchema {
  const given = JSON.parse(schema) as JsonSchema;
  return json.startsWith('{"m"') ? { type: "object", properties: { m: given } } : given;
}

function parse(xml: string, schema: JsonSchema): unknown {
  const bytes = new TextEncoder().encode(xml);
  return xmlFormat.parse(bytes, { limits: { maxDepth: 32 }, name: "order", schema });
}

describe("the mapping between JSON and XML", () => {
  it.each([...rowsOf(PAGE, "How JSON maps to XML"), ...mappings])(
    "reads and writes, with %s, %s as %s",
    (schema = "", json = "", xml = "") => {
      const known = schemaFor(schema, json);
      expect(JSON.stringify(parse(xml, known))).toBe(json);
      const context = { kind: "resource", name: "order", schema: known } as const;
      expect(xmlFormat.serialize(JSON.parse(json), context)).toBe(xml);
    },
  );

  it.each([...rowsOf(PAGE, "How text gets its type"), ...readings])(
    "reads, with %s, %s as %s",
    (schema = "", xml = "", json = "") => {
      expect(JSON.stringify(parse(xml, schemaFor(schema, json)))).toBe(json);
    },
  );
});

describe("an order in XML", () => {
  it.each(orders)("%s: %s gives %s", async (_, body, reply) => {
    const service = createOrderService({ authorize: allowAnonymous(), formats: [xmlFormat] });
    const headers = { "content-type": "application/xml" };
    const { status, body: text } = await service.handle({ method: "POST", path: "/orders", headers, body });
    const { type, errors = [] } = JSON.parse(text as string) as Partial<Problem>;
    expect([status, ...errors.map(({ pointer }) => `\`${pointer}\``)].join(" ")).toBe(reply);
    if (status === 400) expect(type).toBe(problemType("malformed-body"));
  });
});
