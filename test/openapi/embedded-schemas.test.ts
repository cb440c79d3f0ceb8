import { Ajv2020 } from "ajv/dist/2020.js";
import { allowAnonymous, createService, defineOperation, type JsonSchema } from "async-request-reply";
import { createOpenApiDocument, type OpenApiDocument } from "async-request-reply/openapi";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { info } from "../support/openapi-services.js";
import { readDocument } from "./document-reader.js";

const ajv = new Ajv2020({ strict: false });

const Part = z.object({
  name: z.string(),
  get parts() {
    return z.array(Part);
  },
});
const Sized = z.object({ size: z.int() }).meta({ id: "Sized" });

const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema))) as JsonSchema;

const cases = [
  {
    what: "a schema that refers to itself",
    schema: jsonSchemaOf(Part),
    valid: [{ name: "a", parts: [{ name: "b", parts: [] }] }],
    invalid: [{ name: "a", parts: [{ name: "b", parts: [{ name: 1, parts: [] }] }] }],
  },
  {
    what: "a schema with a part that refers to itself",
    schema: jsonSchemaOf(z.object({ left: Part, right: Part })),
    valid: [{ left: { name: "a", parts: [] }, right: { name: "b", parts: [{ name: "c", parts: [] }] } }],
    invalid: [{ left: { name: "a", parts: [] }, right: { name: "b", parts: [{}] } }],
  },
  {
    what: "a schema with a named part",
    schema: jsonSchemaOf(z.object({ first: Sized, others: z.array(Sized) })),
    valid: [{ first: { size: 1 }, others: [{ size: 2 }] }],
    invalid: [{ first: { size: 1 }, others: [{ size: 0.5 }] }],
  },
  {
    what: "a schema with an identifier that its parts use",
    schema: {
      $id: "https://example.com/tree",
      type: "object",
      properties: {
        left: { $ref: "tree" },
        right: { $ref: "https://example.com/tree#" },
        leaf: { $ref: "#/$defs/leaf" },
      },
      additionalProperties: false,
      $defs: {
        leaf: { $id: "leaf", type: "object", properties: { of: { $ref: "tree#/$defs/colour" } } },
        colour: { enum: ["green"] },
      },
    },
    valid: [{ left: { right: {} }, leaf: { of: "green" } }],
    invalid: [{ left: { right: { up: 1 } } }, { leaf: { of: "blue" } }],
  },
  {
    what: "a schema with anchors",
    schema: {
      $ref: "#whole",
      $defs: {
        a: { $anchor: "whole", type: "array", items: { $ref: "#item" } },
        b: { $dynamicAnchor: "item", type: "integer" },
      },
    },
    valid: [[1, 2]],
    invalid: [["a"], {}],
  },
  {
    what: "a schema that refers into itself by names that need escapes",
    schema: {
      type: "object",
      properties: {
        "a/b c~d": { type: "integer" },
        "50%": { $ref: "#/properties/a~1b%20c~0d" },
        e: { $ref: "#/definitions/x%20y" },
      },
      definitions: { "x y": { type: "boolean" } },
    },
    valid: [{ "a/b c~d": 1, "50%": 2, e: true }],
    invalid: [{ "50%": "a" }, { e: 1 }],
  },
  {
    what: "a schema with data that looks like a schema",
    schema: {
      type: "object",
      properties: {
        one: { const: { $ref: "#/$defs/x", $id: "one" } },
        two: { enum: [{ $ref: "#", $anchor: "two" }], default: { $ref: "#" }, examples: [{ $ref: "#" }] },
      },
    },
    valid: [{ one: { $ref: "#/$defs/x", $id: "one" }, two: { $ref: "#", $anchor: "two" } }],
    invalid: [{ one: { $ref: "#" } }, { two: { $ref: "#/components/schemas/CaseInput", $anchor: "two" } }],
  },
  {
    what: "a schema whose members are named like keywords",
    schema: {
      type: "object",
      properties: {
        $ref: { type: "integer" },
        $id: { type: "integer" },
        $defs: { type: "integer" },
        const: { $ref: "#/$defs/const" },
      },
      required: ["$ref"],
      dependentRequired: { $id: ["$defs"] },
      $defs: { const: { type: "string" } },
    },
    valid: [{ $ref: 1, $id: 2, $defs: 3, const: "a" }],
    invalid: [{ $ref: "a" }, { $ref: 1, $id: 2 }, { $ref: 1, $defs: "a" }, { $ref: 1, const: 1 }],
  },
  {
    what: "a schema that allows everything and one that allows nothing",
    schema: { type: "object", properties: { any: true, none: false } },
    valid: [{ any: 1 }],
    invalid: [{ none: 1 }],
  },
];

/** Creates a document of a service with two definitions that use the same JSON Schema. */
function documentOf(jsonSchema: JsonSchema): OpenApiDocument {
  const definitions = ["case", "other"].map((name) =>
    defineOperation({ name, path: `/${name}`, input: z.unknown(), jsonSchema }),
  );
  return createOpenApiDocument(createService({ definitions, authorize: allowAnonymous() }), { info });
}

describe("a JSON Schema in a document", () => {
  it.each(cases)("keeps its meaning: $what", ({ schema, valid, invalid }) => {
    const original = ajv.compile(schema);
    const { isValid } = readDocument(documentOf(schema));
    const verdicts = (judge: (value: unknown) => boolean): unknown => ({
      valid: valid.map(judge),
      invalid: invalid.map(judge),
    });
    const expected = { valid: valid.map(() => true), invalid: invalid.map(() => false) };
    expect(verdicts((value) => original(value))).toEqual(expected);
    for (const component of ["CaseInput", "OtherInput"]) {
      const $ref = `#/components/schemas/${component}`;
      expect(verdicts((value) => isValid({ $ref }, value))).toEqual(expected);
    }
  });

  it("becomes a component for each of its used definitions, without identifiers", () => {
    const { components } = documentOf({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/order",
      $ref: "#/$defs/order",
      $defs: {
        order: { type: "array", items: { $ref: "#/$defs/line-item" } },
        "line-item": { $anchor: "item", type: "object" },
        unused: { type: "null" },
      },
    });
    const own = Object.entries(components.schemas).filter(([name]) => name.startsWith("CaseInput"));
    expect(Object.fromEntries(own)).toEqual({
      CaseInput: { $ref: "#/components/schemas/CaseInput_Order" },
      CaseInput_LineItem: { type: "object" },
      CaseInput_Order: { type: "array", items: { $ref: "#/components/schemas/CaseInput_LineItem" } },
    });
  });

  it("keeps references to other documents, and a dialect that differs from the document's", () => {
    const $ref = "https://example.com/schemas/order.json#/$defs/line";
    const $schema = "http://json-schema.org/draft-07/schema#";
    expect(documentOf({ $schema, items: { $ref } }).components.schemas.CaseInput).toEqual({
      $schema,
      items: { $ref },
    });
  });

  it("is left out if its meaning depends on the reference to it", () => {
    const schema = { $dynamicAnchor: "node", properties: { child: { $dynamicRef: "#node" } } };
    expect(documentOf(schema).components.schemas.CaseInput).toEqual({
      description: expect.stringContaining("`case`"),
    });
  });
});
