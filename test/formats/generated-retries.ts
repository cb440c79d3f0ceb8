import type { JsonSchema } from "async-request-reply";
import fc from "fast-check";
import { describedInXml } from "./generated-schemas.js";

/** A value, a schema that allows it, and another schema that allows more. */
export interface Deployed {
  readonly narrow: JsonSchema;
  readonly wide: JsonSchema;
  readonly value: unknown;
}

/** Types that a schema can additionally allow in one place. */
const ADDITIONS: readonly ((schema: JsonSchema) => JsonSchema | undefined)[] = [
  () => undefined,
  () => ({ type: "string" }),
  () => ({ type: "null" }),
  () => ({ type: ["string", "null"] }),
  (schema) => (isLeaf(schema) ? { type: "array", items: schema } : undefined),
  (schema) => (isLeaf(schema) ? { type: "object", additionalProperties: { type: "string" } } : undefined),
];

/** Returns whether a schema has no parts. XML could not tell an object from an array in the same place. */
function isLeaf(schema: JsonSchema): boolean {
  return !["required", "prefixItems", "items", "allOf"].some((keyword) => keyword in schema);
}

/** Widens places of a schema. `next` chooses the additional types. */
function widen(schema: JsonSchema, next: () => number): JsonSchema {
  const inside = Object.entries(schema).map(([keyword, given]) => [keyword, widenIn(keyword, given, next)]);
  const same = Object.fromEntries(inside) as JsonSchema;
  const addition = ADDITIONS[next()]?.(schema);
  return addition === undefined ? same : { anyOf: [same, addition] };
}

function widenIn(keyword: string, given: unknown, next: () => number): unknown {
  const each = (schema: unknown): JsonSchema => widen(schema as JsonSchema, next);
  if (keyword === "items" && given !== false) return each(given);
  if (keyword === "prefixItems") return (given as readonly unknown[]).map(each);
  if (keyword !== "properties") return given;
  const members = Object.entries(given as object);
  return Object.fromEntries(members.map(([name, schema]) => [name, each(schema)]));
}

/** The services before and after a deploy, and a value that both allow. */
export const deployed: fc.Arbitrary<Deployed> = fc
  .tuple(describedInXml, fc.array(fc.nat(ADDITIONS.length - 1), { minLength: 1, maxLength: 12 }))
  .map(([{ schema, value }, choices]) => {
    let taken = 0;
    const next = (): number => choices[taken++ % choices.length] ?? 0;
    return { narrow: schema, wide: widen(schema, next), value };
  });

/** The same as the member `m` of an object, next to a text that differs between payloads. */
export function marked({ narrow, wide, value }: Deployed, mark: string): Deployed {
  const schemaOf = (m: JsonSchema): JsonSchema => ({
    type: "object",
    properties: { m, mark: { type: "string" } },
    required: ["m", "mark"],
  });
  return { narrow: schemaOf(narrow), wide: schemaOf(wide), value: { m: value, mark } };
}
