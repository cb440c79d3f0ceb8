import type { JsonSchema } from "../contract/definition/definition.js";
import { exactNumber } from "./json.js";
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
 * Describes one place in a value by the JSON Schema, for formats without their own types. `$ref` (within the same
 * schema), `allOf`, `anyOf` and `oneOf` are combined: a type is possible if any of them names it. The validator
 * decides later whether the value is valid.
 */
export interface Place {
  /** Possible types of the value here. Empty if the schema does not say. */
  readonly types: ReadonlySet<JsonType>;
  /** Schemas that describe this place. */
  readonly schemas: readonly JsonSchema[];
  /** Returns the members that every object here must have, regardless of which alternative it meets. */
  required(): readonly string[];
  /** Returns whether a string with this text is allowed. Any text is, unless `enum` or `const` lists the values. */
  takesText(text: string): boolean;
  /** Returns the place of a member of an object. */
  member(name: string): Place;
  /** Returns the place of an item of an array. */
  item(index: number): Place;
}

/** Returns the place of the whole value. Without a schema, nothing is known about the value and its parts. */
export function rootPlace(schema: JsonSchema | undefined): Place {
  const root = schema ?? {};
  return createPlace(root, [{ schema: root, certain: true }]);
}

/** A schema that describes a place. `certain` is false if it is only one of several alternatives. */
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
    // All items after those that are described individually share one place.
    item: (index) => child(Math.min(index, prefix)),
  };
}

/** Returns all schemas that describe a place. Visits each schema once, because a schema may refer to itself. */
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

/**
 * Returns the members that a schema and everything it refers to require of an object. `path` contains the schemas that
 * are being visited.
 */
function requiredOf(root: JsonSchema, schema: JsonSchema, path: readonly JsonSchema[]): string[] {
  if (path.includes(schema)) return [];
  const inside = [...path, schema];
  return [
    ...requiredIn(schema),
    ...conjuncts(root, schema).flatMap((part) => requiredOf(root, part, inside)),
    ...alternatives(schema).flatMap((parts) => requiredByAll(root, parts, inside)),
  ];
}

/** Returns the members that all alternatives for objects require. */
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

/** Syntax of numbers in a format. */
export interface NumberSyntax {
  /** Syntax of integers, and of numbers that may have a fraction. Text that does not match stays text. */
  readonly integer: RegExp;
  readonly number: RegExp;
  /** Converts a match into a JSON number. */
  toJson(text: string): string;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Grammar of numbers in JSON (RFC 8259 §6). */
export const JSON_NUMBERS: NumberSyntax = { integer: NUMBER, number: NUMBER, toJson: (text) => text };

/**
 * Reads a text as one of the types that its place allows. If a string is allowed, the text stays a string, so nothing
 * is guessed. A text that fits no type also stays a string, and the contract refuses it.
 *
 * Throws `MALFORMED_BODY` for a number that cannot be represented exactly, as in JSON.
 */
export function readTypedText(text: string, place: Place, syntax: NumberSyntax): unknown {
  const { types } = place;
  if (place.takesText(text)) return text;
  const isNumber =
    (types.has("number") && syntax.number.test(text)) || (types.has("integer") && syntax.integer.test(text));
  if (isNumber) return exactNumber(syntax.toJson(text));
  return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text;
}
