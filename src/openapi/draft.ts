import type { JsonSchema, OperationDefinition } from "../contract/definition/definition.js";
import type { ServiceContext } from "../http/context.js";
import type { OpenApiDocument, OpenApiHeader, Reference } from "./document.js";

/** The part of a service that its document depends on. */
type DescribedService = Pick<ServiceContext, "definitions" | "create" | "settings" | "formats" | "webhooks">;

/** A service and its document under construction. Only components with references are included. */
export interface Draft extends DescribedService {
  /** The definitions with their names in the document. */
  readonly named: readonly NamedDefinition[];
  /** Adds a schema under this name, and returns a reference to it. */
  schema(name: string, schema: JsonSchema): Reference;
  /** Adds a header under this name, and returns a reference to it. */
  header(name: string, header: OpenApiHeader): Reference;
  /** Returns all components added so far, sorted by name. */
  added(): Pick<OpenApiDocument["components"], "schemas" | "headers">;
}

/** Creates a draft without components. A name always stands for the same component. */
export function createDraft({ definitions, create, settings, formats, webhooks }: DescribedService): Draft {
  const schemas = new Map<string, JsonSchema>();
  const headers = new Map<string, OpenApiHeader>();
  return {
    definitions,
    create,
    settings,
    formats,
    ...(webhooks === undefined ? {} : { webhooks }),
    named: nameDefinitions(definitions),
    schema: (name, schema) => {
      schemas.set(name, schema);
      return { $ref: `#/components/schemas/${name}` };
    },
    header: (name, header) => {
      headers.set(name, header);
      return { $ref: `#/components/headers/${name}` };
    },
    added: () => ({ schemas: sorted(schemas), headers: sorted(headers) }),
  };
}

function sorted<Component>(components: ReadonlyMap<string, Component>): Record<string, Component> {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A definition with its name in the document. */
export interface NamedDefinition {
  readonly definition: OperationDefinition;
  /** Unique name in Pascal case. */
  readonly name: string;
}

/** Assigns a unique name to each definition. If names such as `a-b` and `a.b` collide, the later one gets a number. */
function nameDefinitions(definitions: readonly OperationDefinition[]): NamedDefinition[] {
  const taken = new Set<string>();
  return definitions.map((definition) => ({
    definition,
    name: uniqueName(toPascalCase(definition.name), taken),
  }));
}

/**
 * Returns the name, with a number if it is taken, and marks it as taken. Ignores case, because code generators create
 * files with these names, and some file systems ignore case.
 */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${name}${number}`;
  taken.add(unique.toLowerCase());
  return unique;
}

/** Converts a name to Pascal case: `not-found` becomes `NotFound`. */
export function toPascalCase(name: string): string {
  const words = name.split(/[._-]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
