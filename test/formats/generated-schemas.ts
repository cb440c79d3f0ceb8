import fc from "fast-check";
import type { JsonSchema } from "../../src/contract/definition/definition.js";
import { memberName, text } from "./generated-orders.js";

/** A JSON Schema and a value that it allows. */
export interface Described {
  readonly schema: JsonSchema;
  readonly value: unknown;
}

const integer = (min: number, max: number): fc.Arbitrary<Described> =>
  fc
    .integer({ min, max })
    .map((value) => ({ schema: { type: "integer", minimum: min, maximum: max }, value }));

const numeric = fc.oneof(
  integer(-(2 ** 31), 2 ** 31 - 1),
  integer(0, 2 ** 32 - 1),
  integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  fc.maxSafeInteger().map((value) => ({ schema: { type: "integer" }, value })),
  // JSON has no negative zero.
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => ({ schema: { type: "number" }, value: value === 0 ? 0 : value })),
);
const truth = fc.boolean().map((value) => ({ schema: { type: "boolean" }, value }));
const listed = fc.oneof(
  fc.constantFrom("a", "", 1, -7, 2.5, true).map((value) => ({
    schema: { enum: ["a", "", 1, -7, 2.5, true] },
    value,
  })),
  fc.constant({ schema: { const: 5 }, value: 5 }),
  fc
    .constantFrom("all", 3)
    .map((value) => ({ schema: { anyOf: [{ const: "all" }, { type: "integer" }] }, value })),
);
const string = text.map((value) => ({ schema: { type: "string" }, value }));

/** Null or a string, null or an object: XML tells them apart with `xsi:nil`, YANG data cannot. */
const nullableText: fc.Arbitrary<Described> = fc.oneof(
  fc.option(text, { nil: null }).map((value) => ({ schema: { type: ["string", "null"] }, value })),
  fc
    .constantFrom(null, {})
    .map((value) => ({ schema: { oneOf: [{ type: "object" }, { type: "null" }] }, value })),
);

const leaf: fc.Arbitrary<Described> = fc.oneof(string, numeric, truth, listed);
const nullableNumber: fc.Arbitrary<Described> = fc
  .tuple(fc.oneof(numeric, truth), fc.boolean())
  .map(([{ schema, value }, isNull]) => ({
    schema: { anyOf: [schema, { type: "null" }] },
    value: isNull ? null : value,
  }));

function objectOf(members: fc.Arbitrary<Described>): fc.Arbitrary<Described> {
  const entries = fc.uniqueArray(fc.tuple(memberName, members), {
    maxLength: 4,
    // Names that are equal once lone surrogates are replaced count as one name.
    selector: ([name]) => name.toWellFormed(),
  });
  return fc.tuple(entries, fc.nat(3)).map(([described, style]) => {
    const wellFormed = described.map(([name, each]) => [name.toWellFormed(), each] as const);
    const properties = Object.fromEntries(wellFormed.map(([name, { schema }]) => [name, schema]));
    const value = Object.fromEntries(wellFormed.map(([name, each]) => [name, each.value]));
    return { schema: described.length === 0 ? { type: "object" } : objectSchema(properties, style), value };
  });
}

/** The same object schema, written in one of several ways. */
function objectSchema(properties: Readonly<Record<string, unknown>>, style: number): JsonSchema {
  const required = Object.keys(properties);
  if (style === 0) return { properties, required };
  if (style === 1) return { allOf: [{ type: "object", required }, { properties }] };
  if (style === 2) return { type: "object", anyOf: [{ properties: {} }, { properties }], required };
  return { type: "object", properties, required, additionalProperties: false };
}

function arrayOf(items: fc.Arbitrary<Described>): fc.Arbitrary<Described> {
  const tuple = fc.array(items, { maxLength: 3 }).map((described) => ({
    schema: { type: "array", prefixItems: described.map(({ schema }) => schema), items: false },
    value: described.map(({ value }) => value),
  }));
  const list = fc.tuple(items, fc.nat(3)).map(([{ schema, value }, length]) => ({
    schema: { type: "array", items: schema },
    value: Array.from({ length }, () => value),
  }));
  return fc.oneof(tuple, list);
}

const SMALL = { depthSize: "small", withCrossShrink: true } as const;

function describedBy(leaves: fc.Arbitrary<Described>): fc.Arbitrary<Described> {
  const { node } = fc.letrec<{ node: Described }>((tie) => ({
    node: fc.oneof(SMALL, leaves, objectOf(tie("node")), arrayOf(tie("node"))),
  }));
  return node;
}

/** Schemas, each with a value: objects, arrays in arrays, tuples, and leaves of all types. */
export const describedInXml: fc.Arbitrary<Described> = describedBy(
  fc.oneof(leaf, nullableNumber, nullableText),
);

/** The same without values that YANG data cannot tell apart. */
export const describedInYang: fc.Arbitrary<Described> = describedBy(fc.oneof(leaf, nullableNumber));
