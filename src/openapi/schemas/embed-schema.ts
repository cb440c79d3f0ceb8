import type { JsonSchema } from "../../contract/definition/definition.js";
import { toFragmentPointer } from "../../contract/json/fragment-pointer.js";
import { isObject } from "../../formats/json-schema.js";
import type { Reference } from "../document.js";
import { type Draft, toPascalCase, uniqueName } from "../draft.js";

/**
 * Adds a JSON Schema as components: one with this name, and one for each of its definitions that it refers to.
 * Rewrites references to point to the components. Drops identifiers such as `$id`, because few tools follow them, and
 * a schema that is used twice would repeat them.
 *
 * Returns undefined for a schema with `$dynamicRef`, whose target would change with the context.
 */
export function embedSchema(draft: Draft, name: string, schema: JsonSchema): Reference | undefined {
  const { targets, roots, isDynamic } = indexSchema(schema, name);
  if (isDynamic) return undefined;
  const begun = new Set<string>();

  const embed = (component: string): void => {
    const root = roots.get(component);
    if (root === undefined || begun.has(component)) return;
    begun.add(component);
    draft.schema(component, rewrite(root.schema, root.base));
  };
  const rewrite = (from: JsonSchema, outer: string): JsonSchema => {
    const base = baseOf(from, outer);
    const { $id: _, $anchor: __, $dynamicAnchor: ___, $defs: ____, definitions: _____, ...kept } = from;
    const { $schema, $ref, ...others } = mapSubschemas(kept, [], (inner) => rewrite(inner, base));
    const target = typeof $ref === "string" ? targets.get(resolve($ref, base) ?? "") : undefined;
    if (target !== undefined) embed(target.component);
    return {
      ...($schema === undefined || $schema === DIALECT ? {} : { $schema }),
      ...($ref === undefined ? {} : target === undefined ? { $ref } : toReference(target)),
      ...others,
    };
  };

  embed(name);
  return toReference({ component: name, path: [] });
}

/** Default dialect of the schemas in an OpenAPI 3.1 document. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Base URI for references in a schema without `$id`. */
const UNIDENTIFIED = "https://schema.invalid/";

/** New location of a schema. */
interface Target {
  readonly component: string;
  /** Path within the component. */
  readonly path: SchemaPath;
}

interface Index {
  /** New locations by absolute identifier. */
  readonly targets: ReadonlyMap<string, Target>;
  /** Schemas that become components, each with the base URI of its references. */
  readonly roots: ReadonlyMap<string, { readonly schema: JsonSchema; readonly base: string }>;
  readonly isDynamic: boolean;
}

interface Place extends Target {
  /** Identifier of the schema resource. */
  readonly base: string;
  /** Path within the schema resource. */
  readonly pointer: SchemaPath;
}

function indexSchema(schema: JsonSchema, name: string): Index {
  const targets = new Map<string, Target>();
  const roots = new Map([[name, { schema, base: UNIDENTIFIED }]]);
  const taken = new Set([name.toLowerCase()]);
  let isDynamic = false;

  const visit = (from: JsonSchema, outer: Place): void => {
    const { component, path } = outer;
    const base = baseOf(from, outer.base);
    const pointer = base === outer.base ? outer.pointer : [];
    const { $anchor, $dynamicAnchor, $dynamicRef } = from;
    isDynamic ||= $dynamicRef !== undefined;
    const anchors = [$anchor, $dynamicAnchor].filter((anchor) => typeof anchor === "string");
    const identifiers = [
      // A schema with its own `$id` can still be referred to by a pointer from the outer schema.
      resolve(toFragmentPointer(outer.pointer), outer.base),
      resolve(toFragmentPointer(pointer), base),
      ...anchors.map((anchor) => resolve(`#${anchor}`, base)),
    ];
    for (const identifier of identifiers) {
      if (identifier !== undefined) targets.set(identifier, { component, path });
    }
    mapSubschemas(from, [], (inner, steps) => {
      const [keyword = "", definition = ""] = steps;
      const place = { base, pointer: [...pointer, ...steps] };
      if (keyword === "$defs" || keyword === "definitions") {
        const own = uniqueName(`${name}_${toPascalCase(definition.replace(/[^A-Za-z0-9]/g, "_"))}`, taken);
        roots.set(own, { schema: inner, base });
        visit(inner, { ...place, component: own, path: [] });
      } else visit(inner, { ...place, component, path: [...path, ...steps] });
      return inner;
    });
  };

  visit(schema, { component: name, path: [], base: UNIDENTIFIED, pointer: [] });
  return { targets, roots, isDynamic };
}

function baseOf({ $id }: JsonSchema, outer: string): string {
  if (typeof $id !== "string" || !URL.canParse($id, outer)) return outer;
  return new URL($id, outer).href.replace(/#$/, "");
}

/** Returns the absolute form of a reference with a decoded fragment, or undefined if it is malformed. */
function resolve(ref: string, base: string): string | undefined {
  if (!URL.canParse(ref, base)) return undefined;
  const [resource = "", fragment = ""] = new URL(ref, base).href.split("#", 2);
  try {
    return `${resource}#${decodeURIComponent(fragment)}`;
  } catch {
    return undefined;
  }
}

function toReference({ component, path }: Target): Reference {
  return { $ref: toFragmentPointer(["components", "schemas", component, ...path]) };
}

/** Location of a subschema: the keywords, names and indices that lead to it. */
type SchemaPath = readonly string[];

/** Returns the replacement of a subschema. To change nested schemas too, it calls {@link mapSubschemas} itself. */
type ChangeSchema = (schema: JsonSchema, path: SchemaPath) => JsonSchema;

/** Replaces each direct subschema, under any keyword. Leaves data unchanged, even if it looks like a schema. */
export function mapSubschemas(schema: JsonSchema, path: SchemaPath, change: ChangeSchema): JsonSchema {
  return mapMembers(schema, path, (value, keyword, at) => {
    if (DATA.has(keyword) || keyword.startsWith("x-")) return value;
    if (!BY_NAME.has(keyword) || !isObject(value)) return mapValue(value, at, change);
    return mapMembers(value, at, (named, _, inside) => mapValue(named, inside, change));
  });
}

/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set([
  "const",
  "default",
  "dependentRequired",
  "enum",
  "example",
  "examples",
]);

/** Keywords whose values are schemas by name. The names must not be read as keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
  "patternProperties",
  "properties",
]);

function mapValue(value: unknown, path: SchemaPath, change: ChangeSchema): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => mapValue(item, [...path, String(index)], change));
  }
  // `true` and `false` are schemas too, but have nothing to change.
  return isObject(value) ? change(value, path) : value;
}

function mapMembers(
  members: JsonSchema,
  path: SchemaPath,
  map: (value: unknown, name: string, path: SchemaPath) => unknown,
): JsonSchema {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, map(value, name, [...path, name])]),
  );
}
