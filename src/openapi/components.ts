import type { JsonSchema } from "../contract/definition.js";
import type { OpenApiDocument, OpenApiHeader, Reference } from "./document.js";

/** The parts of a document that are referred to. Those that nothing refers to are not in it. */
export interface Components {
  /** The URI before the names of problems in their types. */
  readonly problemBaseUri: string;
  /** Keeps a schema under its name, and gives the reference to it. */
  schema(name: string, schema: JsonSchema): Reference;
  /** Keeps a header under its name, and gives the reference to it. */
  header(name: string, header: OpenApiHeader): Reference;
  /** What was kept so far, sorted by name. */
  kept(): Pick<OpenApiDocument["components"], "schemas" | "headers">;
}

/** Collects the components of one document. The same name always stands for the same component. */
export function createComponents(problemBaseUri: string): Components {
  const schemas = new Map<string, JsonSchema>();
  const headers = new Map<string, OpenApiHeader>();
  return {
    problemBaseUri,
    schema: (name, schema) => {
      schemas.set(name, schema);
      return { $ref: `#/components/schemas/${name}` };
    },
    header: (name, header) => {
      headers.set(name, header);
      return { $ref: `#/components/headers/${name}` };
    },
    kept: () => ({ schemas: sorted(schemas), headers: sorted(headers) }),
  };
}

function sorted<Component>(components: ReadonlyMap<string, Component>): Record<string, Component> {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}
