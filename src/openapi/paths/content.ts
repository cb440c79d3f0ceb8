import type { JsonSchema } from "../../contract/definition/definition.js";
import type { Format, SerializeContext } from "../../formats/format.js";
import type { DescribedService } from "../components.js";
import type { OpenApiContent } from "../document.js";

/** Describes a payload in each media type of requests. */
export function requestContent(
  { formats }: DescribedService,
  schema: JsonSchema,
  rootName: string,
): OpenApiContent {
  return inEach(formats, ({ mediaTypes }) => mediaTypes, schema, { kind: "resource", name: rootName });
}

/** Describes an operation in each media type of replies. Replies never use aliases. */
export function operationContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(formats, canonicalType, schema, { kind: "operation", name: "operation" });
}

/** Describes a list of operations in each media type of replies. */
export function listContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(formats, canonicalType, schema, { kind: "operations", name: "operations" });
}

/** Describes a created resource in each media type of replies. */
export function resourceContent(
  { formats }: DescribedService,
  schema: JsonSchema,
  rootName: string,
): OpenApiContent {
  return inEach(formats, canonicalType, schema, { kind: "resource", name: rootName });
}

/** Describes a problem in each media type of problems. */
export function problemContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  const problem: Described = { kind: "problem", name: "problem" };
  return inEach(formats, ({ problemMediaType }) => [problemMediaType], schema, problem);
}

function canonicalType({ mediaTypes: [canonical] }: Format): readonly string[] {
  return [canonical];
}

type Described = Pick<SerializeContext, "kind" | "name">;

/** Formats that share a media type describe it equally. For example, YAML serializes problems as JSON. */
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
