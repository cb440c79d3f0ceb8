import type { JsonSchema } from "../core/definition.js";
import type { DescribedService } from "./described-service.js";
import type { OpenApiContent } from "./document.js";

/** A payload in each media type that a request can have. */
export function requestContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(
    formats.flatMap(({ mediaTypes }) => mediaTypes),
    schema,
  );
}

/** A representation in each media type that a reply can have: aliases are for requests. */
export function replyContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(
    formats.map(({ mediaTypes }) => mediaTypes[0]),
    schema,
  );
}

/** A problem in each media type that a problem can have. */
export function problemContent({ formats }: DescribedService, schema: JsonSchema): OpenApiContent {
  return inEach(
    formats.map(({ problemMediaType }) => problemMediaType),
    schema,
  );
}

function inEach(mediaTypes: readonly string[], schema: JsonSchema): OpenApiContent {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}
