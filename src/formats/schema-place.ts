import type { JsonSchema } from "../contract/definition.js";
import {
  alternatives,
  childSchema,
  conjuncts,
  type JsonType,
  listedValues,
  prefixLength,
  requiredIn,
  typesOf,
} from "./json-schema.js";

/**
 * What a JSON Schema says of one place in a value, for formats that have no types of their own. What is said by `$ref` (to
 * the same schema), `allOf`, `anyOf` and `oneOf` is taken together: a type that any of them names may stand there. Whether a
 * value is valid is not decided here: that is the validator's business, later.
 */
export interface Place {
  /** The types that may stand here; none where the schema says nothing. */
  readonly types: ReadonlySet<JsonType>;
  /** The schemas that speak of this place. */
  readonly schemas: readonly JsonSchema[];
  /** Members that an object must have here, whichever of the alternatives for objects it meets. */
  required(): readonly string[];
  /** Whether a string of this text is allowed: any text is, but where `enum` or `const` lists which. */
  takesText(text: string): boolean;
  /** The place of a member of an object. */
  member(name: string): Place;
  /** The place of an item of an array. */
  item(index: number): Place;
}

/** The place of the whole value. Without a schema nothing is said of it, nor of anything in it. */
export function rootPlace(schema: JsonSchema | undefined): Place {
  const root = schema ?? {};
  return createPlace(root, [{ schema: root, certain: true }]);
}

/** A schema that applies to a place; `certain` unless it does so in one alternative among others. */
interface Applied {
  readonly schema: JsonSchema;
  readonly certain: boolean;
}

function createPlace(root: JsonSchema, direct: readonly Applied[]): Place {
  const applied = allApplied(root, direct);
  const schemas = applied.map(({ schema }) => schema);
  const types = new Set(schemas.flatMap(typesOf));
  const prefix = Math.max(0, ...schemas.map(prefixLength));
  const children = new Map<string | number, Place>();
  const child = (key: string | number): Place => {
    const known = children.get(key) ?? createPlace(root, appliedToChild(applied, key));
    children.set(key, known);
    return known;
  };
  return {
    types,
    schemas,
    required: () => requiredBy(root, direct),
    takesText: (text) => schemas.some((schema) => allowsText(schema, text)),
    member: child,
    // All items behind those that are described one by one are in one place.
    item: (index) => child(Math.min(index, prefix)),
  };
}

/** Returns every schema that applies, each once: a schema may refer to itself. */
function allApplied(root: JsonSchema, direct: readonly Applied[]): Applied[] {
  const applied = new Map<JsonSchema, Applied>();
  const waiting = [...direct];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema, certain } = next;
    const before = applied.get(schema);
    if (before !== undefined && (before.certain || !certain)) continue;
    applied.set(schema, next);
    for (const part of conjuncts(root, schema)) waiting.push({ schema: part, certain });
    for (const part of alternatives(schema).flat()) waiting.push({ schema: part, certain: false });
  }
  return [...applied.values()];
}

function appliedToChild(applied: readonly Applied[], key: string | number): Applied[] {
  return applied.flatMap(({ schema, certain }) => {
    const child = childSchema(schema, key);
    return child === undefined ? [] : [{ schema: child, certain }];
  });
}

function allowsText(schema: JsonSchema, text: string): boolean {
  return listedValues(schema)?.includes(text) ?? typesOf(schema).includes("string");
}

function requiredBy(root: JsonSchema, direct: readonly Applied[]): string[] {
  const [certain, uncertain] = [true, false].map((is) =>
    direct.filter((next) => next.certain === is).map(({ schema }) => schema),
  );
  return [
    ...(certain ?? []).flatMap((schema) => requiredOf(root, schema, [])),
    ...requiredByAll(root, uncertain ?? [], []),
  ];
}

/** What an object must have by a schema and all it refers to; `path` are the schemas that are being looked at. */
function requiredOf(root: JsonSchema, schema: JsonSchema, path: readonly JsonSchema[]): string[] {
  if (path.includes(schema)) return [];
  const inside = [...path, schema];
  return [
    ...requiredIn(schema),
    ...conjuncts(root, schema).flatMap((part) => requiredOf(root, part, inside)),
    ...alternatives(schema).flatMap((parts) => requiredByAll(root, parts, inside)),
  ];
}

/** What an object must have by each of the alternatives that it can meet at all. */
function requiredByAll(
  root: JsonSchema,
  parts: readonly JsonSchema[],
  path: readonly JsonSchema[],
): string[] {
  const [first = [], ...others] = parts
    .filter((part) => mayBeObject(root, part))
    .map((part) => requiredOf(root, part, path));
  return first.filter((name) => others.every((names) => names.includes(name)));
}

function mayBeObject(root: JsonSchema, schema: JsonSchema): boolean {
  const types = allApplied(root, [{ schema, certain: true }]).flatMap((next) => typesOf(next.schema));
  return types.length === 0 || types.includes("object");
}
