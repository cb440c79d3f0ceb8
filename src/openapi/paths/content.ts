import type { JsonSchema } from "../../contract/definition/definition.js";
import type { Format, Representation, SerializeContext } from "../../formats/format.js";
import type { OpenApiContent } from "../document.js";
import type { Draft } from "../draft.js";

/** Describes a payload in each media type of requests. */
export function requestContent({ formats }: Draft, schema: JsonSchema, rootName: string): OpenApiContent {
  return inEach(formats, ({ mediaTypes }) => mediaTypes, schema, { kind: "resource", name: rootName });
}

/** Describes a value in each media type of replies, which never use aliases. */
export function replyContent(
  { formats }: Draft,
  kind: Representation,
  schema: JsonSchema,
  name: string = kind,
): OpenApiContent {
  const typesOf = ({ mediaTypes: [canonical], problemMediaType }: Format): readonly string[] =>
    kind === "problem" ? [problemMediaType] : [canonical];
  return inEach(formats, typesOf, schema, { kind, name });
}

/** Formats that share a media type describe it equally. For example, YAML serializes problems as JSON. */
function inEach(
  formats: readonly Format[],
  typesOf: (format: Format) => readonly string[],
  schema: JsonSchema,
  shown: Pick<SerializeContext, "kind" | "name">,
): OpenApiContent {
  return Object.fromEntries(
    formats.flatMap((format) => {
      const described = format.describe?.(schema, shown) ?? schema;
      return typesOf(format).map((mediaType) => [mediaType, { schema: described }]);
    }),
  );
}
