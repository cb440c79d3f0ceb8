import type { JsonSchema } from "../contract/definition/definition.js";
import type { ServiceContext } from "../http/context.js";
import type { OpenApiDocument, OpenApiHeader, Reference } from "./document.js";

/** The components of a document under construction. Only components with references are included. */
export interface Components {
  /** Base URI of problem types. */
  readonly problemBaseUri: string;
  /** Adds a schema under this name, and returns a reference to it. */
  schema(name: string, schema: JsonSchema): Reference;
  /** Adds a header under this name, and returns a reference to it. */
  header(name: string, header: OpenApiHeader): Reference;
  /** Returns all components added so far, sorted by name. */
  added(): Pick<OpenApiDocument["components"], "schemas" | "headers">;
}

/** Creates an empty set of components for one document. A name always stands for the same component. */
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
    added: () => ({ schemas: sorted(schemas), headers: sorted(headers) }),
  };
}

function sorted<Component>(components: ReadonlyMap<string, Component>): Record<string, Component> {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The part of a service that its document depends on. */
export type DescribedService = Pick<
  ServiceContext,
  "definitions" | "create" | "settings" | "formats" | "webhooks"
>;
