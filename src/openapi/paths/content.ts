import type { JsonSchema } from "../../contract/definition.js";
import type { Format, SerializeContext } from "../../formats/format.js";
import type { DescribedService } from "../described-service.js";
import type { OpenApiContent } from "../document.js";

/** A payload in each media type that a request can have. */
export function requestContent(
  { formats }: DescribedService,
  schema: JsonSchema,
  rootName: string,
): OpenApiContent {
  return inEach(formats, ({ mediaTypes }) => mediaTypes, schema, { kind: "resource", name: rootName });
}

/** An operation in each media type that a reply can have: aliases are for requests. */
export function operationContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(formats, canonicalType, schema, { kind: "operation", name: "operation" });
}

/** A list of operations in each media type that a reply can have. */
export function listContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(formats, canonicalType, schema, { kind: "operations", name: "operations" });
}

/** A resource that was created, in each media type that a reply can have. */
export function resourceContent(
  { formats }: DescribedService,
  schema: JsonSchema,
  rootName: string,
): OpenApiContent {
  return inEach(formats, canonicalType, schema, { kind: "resource", name: rootName });
}

/** A problem in each media type that a problem can have. */
export function problemContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  const problem: Described = { kind: "problem", name: "problem" };
  return inEach(formats, ({ problemMediaType }) => [problemMediaType], schema, problem);
}

function canonicalType({ mediaTypes: [canonical] }: Format): readonly string[] {
  return [canonical];
}

type Described = Pick<SerializeContext, "kind" | "name">;

/** Where two formats share a media type they mean the same by it: YAML writes problems as JSON. */
function inEach(
  formats: readonly Format[],
  typesOf: (format: Format) => readonly string[],
  schema: JsonSchema,
  shown: Described,
): OpenApiContent {
  return Object.fromEntries(
    formats.flatMap((format) => {
      const described = format.describe?.(schema, shown) ?? schema;
      return typesOf(format).map((mediaType) => [mediaType, { schema: described }]);
    }),
  );
}
