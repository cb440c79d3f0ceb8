import type { JsonSchema } from "../../contract/definition.js";
import type { Components } from "../components.js";
import type { OpenApiHeader, OpenApiResponse } from "../document.js";

/** Fields of a response, by their names in HTTP. */
export type ResponseHeaders = OpenApiResponse["headers"];

/** The fields that replies of any service have, by the names of their components. */
export type HeaderName =
  | "AcceptVaries"
  | "EntityTag"
  | "IdempotentReplayed"
  | "NextPage"
  | "NoSniff"
  | "NoStore"
  | "ResourceLocation"
  | "RetryAfter"
  | "RetryAfterWhilePending"
  | "Revalidated"
  | "StatusLocation"
  | "SuccessorLink";

/** A regular expression for a link to the operation that runs a failed one again. */
export const SUCCESSOR_LINK = '<[^>]+>; rel="successor-version"';

const HEADERS: Readonly<Record<HeaderName, OpenApiHeader>> = {
  AcceptVaries: always("The reply depends on `Accept` of the request.", { const: "accept" }),
  EntityTag: always("A strong tag of this representation, for `If-None-Match`.", { pattern: '^"[^"]+"$' }),
  IdempotentReplayed: sometimes("There where the key was used before: the operation is the one of then.", {
    const: "true",
  }),
  NextPage: sometimes('The next page, with `rel="next"` (RFC 8288). Absent on the last one.', {}),
  NoSniff: always("The body is what `Content-Type` says.", { const: "nosniff" }),
  NoStore: always("The reply must not be used again.", { const: "no-store" }),
  ResourceLocation: sometimes("Where the resource can be read, if it can.", { format: "uri-reference" }),
  RetryAfter: always("Seconds to wait before the status is read.", seconds(0, 60)),
  RetryAfterWhilePending: sometimes(
    "There while the operation is pending: seconds to wait before its status is read again.",
    seconds(1, 60),
  ),
  Revalidated: always("The reply is for this caller, who asks again before using it again.", {
    const: "private, no-cache",
  }),
  StatusLocation: always("Where the status of the operation can be read.", { format: "uri-reference" }),
  SuccessorLink: sometimes(
    "Present if the operation failed and was run again: the operation that runs it again.",
    {
      pattern: `^${SUCCESSOR_LINK}$`,
    },
  ),
};

/** References to the components that describe these fields. */
export function headers(
  components: Components,
  fields: Readonly<Record<string, HeaderName>>,
): ResponseHeaders {
  return Object.fromEntries(
    Object.entries(fields).map(([field, name]) => [field, components.header(name, HEADERS[name])]),
  );
}

/** `Retry-After` of a refusal: a hook may ask for any wait. */
export const retryAfterRefusal: OpenApiHeader = always(
  "Seconds to wait before the request is repeated.",
  seconds(0),
);

/** A field that every such response has, with this value. */
export function fixed(description: string, value: string): OpenApiHeader {
  return always(description, { const: value });
}

/** A field that every such response has, with a value that matches this regular expression. */
export function matching(description: string, pattern: string): OpenApiHeader {
  return always(description, { pattern });
}

/** The same field, where only some of the responses have it. */
export function optional(header: OpenApiHeader): OpenApiHeader {
  return { ...header, required: false };
}

function always(description: string, schema: JsonSchema): OpenApiHeader {
  return { description, required: true, schema: { type: "string", ...schema } };
}

function sometimes(description: string, schema: JsonSchema): OpenApiHeader {
  return optional(always(description, schema));
}

function seconds(minimum: number, maximum?: number): JsonSchema {
  return { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) };
}
