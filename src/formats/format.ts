import type { JsonSchema } from "../contract/definition/definition.js";

/** Arguments for reading a body. */
export interface ParseContext {
  /** Limits of the service. `maxDepth` is the maximum nesting of containers: enforce it while reading, not after. */
  readonly limits: { readonly maxDepth: number };
  /** The `rootName` of the definition: the root element in XML, the top-level member in YANG data. */
  readonly name: string;
  /** JSON Schema of the input, if known. Formats without their own types use it to read values. */
  readonly schema: JsonSchema | undefined;
}

/** Kind of representation. Formats with a root name or a namespace write each kind differently. */
export type Representation = "operation" | "operations" | "resource" | "problem";

/** Arguments for writing a reply. */
export interface SerializeContext {
  /** Kind of the value. `operations` is a list, `{ operations: [...] }`. */
  readonly kind: Representation;
  /** Root name of a resource, as in {@link ParseContext}. Operations, lists and problems have fixed root names. */
  readonly name: string;
  /** JSON Schema of the value, if known. */
  readonly schema?: JsonSchema;
}

/** Body that was read with a schema, and the same body without types. */
export interface ParsedBody {
  /** Value, as `parse` returns it. */
  readonly value: unknown;
  /**
   * Body as it is read without a schema: strings, objects, and arrays for repeated parts. Contains numbers, booleans
   * and null only if the format itself has them.
   */
  readonly tree: unknown;
}

/** Translates between bytes and the JSON data model. */
export interface Format {
  /** Canonical media type, which replies use, followed by the aliases that requests may use. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Media type of a problem in this format (RFC 9457). */
  readonly problemMediaType: string;
  /** Whether the format needs the JSON Schema of a definition to read and write correctly. Default: false. */
  readonly needsSchema?: boolean;
  /** Returns the description of a body for OpenAPI, from the JSON Schema of the value. Default: that schema itself. */
  describe?(schema: JsonSchema, context: Pick<SerializeContext, "kind" | "name">): JsonSchema;
  /**
   * Reads a body strictly. Refuses everything that two readers could understand differently.
   *
   * Throws `MALFORMED_BODY`. Throws `CONTRACT_VIOLATION` if the body has the wrong root.
   */
  parse(bytes: Uint8Array, context: ParseContext): unknown;
  /**
   * Reads a body as `parse` does, and also returns it without types. Implement this method if `parse` depends on the
   * schema. Retries are then recognized by the tree, so a new schema never turns a retry into a different request.
   *
   * Throws the same errors as `parse`.
   */
  parseWithTree?(bytes: Uint8Array, context: ParseContext): ParsedBody;
  /** Writes a value that a parser returned or that this library created. */
  serialize(value: unknown, context: SerializeContext): string;
}

/** Returns a list for formats that name each item. `operations` then contains one `operation` per item. */
export function toItems(value: unknown): { readonly operation: unknown } {
  return { operation: (value as { readonly operations: unknown }).operations };
}
