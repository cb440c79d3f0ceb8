import type { JsonSchema } from "../contract/definition.js";

/** What a format needs to know in order to read a body. */
export interface ParseContext {
  /** `maxDepth`: how deep containers may nest. To be kept while reading, not after. */
  readonly limits: { readonly maxDepth: number };
  /** The `rootName` of the definition: the root element of XML, the top-level member of YANG data. */
  readonly name: string;
  /** JSON Schema of the input, if it is known: formats without types of their own read by it. */
  readonly schema: JsonSchema | undefined;
}

/** What is being written: formats with a root name or a namespace write each kind differently. */
export type Representation = "operation" | "operations" | "resource" | "problem";

/** What a format needs to know in order to write a reply. */
export interface SerializeContext {
  /** Which of the representations of the contract the value is. `operations` is a list: `{ operations: [...] }`. */
  readonly kind: Representation;
  /** The root of a resource, as in {@link ParseContext}. Operations, lists and problems have roots of their own. */
  readonly name: string;
  /** JSON Schema of the value, if it is known. */
  readonly schema?: JsonSchema;
}

/** A body that was read by a schema, and the same body without types. */
export interface ParsedBody {
  /** The value, as `parse` returns it. */
  readonly value: unknown;
  /**
   * The body as it is read without a schema: strings, objects, and arrays for what is repeated. Numbers, booleans and null
   * are allowed if the format itself has them.
   */
  readonly tree: unknown;
}

/** Translates between bytes and the JSON data model. */
export interface Format {
  /** The canonical type first (used in replies), then the aliases that are accepted as input. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Media type of a problem in this format (RFC 9457). */
  readonly problemMediaType: string;
  /** Whether it reads and writes right only with the JSON Schema of a definition. Default false. */
  readonly needsSchema?: boolean;
  /**
   * Describes a body for OpenAPI, by the JSON Schema of the value that it stands for. Where it is left out, a body is
   * described as the value itself.
   */
  describe?(schema: JsonSchema, context: Pick<SerializeContext, "kind" | "name">): JsonSchema;
  /**
   * Reads a body strictly: what two readers could understand differently is refused.
   *
   * @throws AsyncReplyError `MALFORMED_BODY`; `CONTRACT_VIOLATION` for a root that is another one's
   */
  parse(bytes: Uint8Array, context: ParseContext): unknown;
  /**
   * Reads a body as `parse` does, and also returns it without types. Implement this if `parse` depends on the schema.
   * Retries are then recognized by the tree, and a new schema never turns a retry into another request.
   *
   * @throws AsyncReplyError what `parse` throws
   */
  parseWithTree?(bytes: Uint8Array, context: ParseContext): ParsedBody;
  /** Writes a value that came out of a parser, or that this library made. */
  serialize(value: unknown, context: SerializeContext): string;
}
