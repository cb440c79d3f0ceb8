import type { JsonSchema } from "../../contract/definition/definition.js";
import type { Deprecation } from "../../contract/definition/deprecation.js";
import { deprecationFields } from "../../http/message/deprecation-fields.js";
import type { OpenApiHeader, OpenApiResponse } from "../document.js";
import type { Draft } from "../draft.js";

/** Header fields of a response by name. */
export type ResponseHeaders = OpenApiResponse["headers"];

/** Component names of the header fields that every service uses. */
export type HeaderName =
  | "AcceptAndPreferVary"
  | "AcceptOrPreferVaries"
  | "AcceptVaries"
  | "EntityTag"
  | "EntityTagUnlessStreamed"
  | "EntityTagOfPart"
  | "IdempotentReplayed"
  | "NextPage"
  | "NoSniff"
  | "NoStore"
  | "PreferenceApplied"
  | "PreferenceWasApplied"
  | "ResourceLocation"
  | "RetryAfter"
  | "RetryAfterWhilePending"
  | "Revalidated"
  | "RevalidatedUnlessStreamed"
  | "RevalidatedUnlessLive"
  | "StatusLocation"
  | "StreamClosed"
  | "StreamCursor"
  | "StreamNextOffset"
  | "StreamNextOffsetUnlessStreamed"
  | "StreamUpToDate"
  | "StreamWasUpToDate"
  | "SuccessorLink"
  | "Unbuffered";

/** Pattern of a link to the operation that runs a failed one again. */
const SUCCESSOR_LINK = '<[^>]+>; rel="successor-version"';

const ENTITY_TAG: JsonSchema = { pattern: '^"[^"]+"$' };

const OFFSET: JsonSchema = { pattern: "^[0-9]{16}_[0-9]{16}$" };

const APPLIED = "^wait=[1-9][0-9]*$";

const HEADERS: Readonly<Record<HeaderName, OpenApiHeader>> = {
  AcceptAndPreferVary: always("The reply depends on the `Accept` and `Prefer` fields of the request.", {
    const: "accept, prefer",
  }),
  AcceptOrPreferVaries: always(
    "The reply depends on the `Accept` field of the request, and on `Prefer` if it was applied.",
    { enum: ["accept", "accept, prefer"] },
  ),
  AcceptVaries: always("The reply depends on the `Accept` field of the request.", { const: "accept" }),
  EntityTag: always("Strong entity tag of this representation, for `If-None-Match`.", ENTITY_TAG),
  EntityTagUnlessStreamed: sometimes(
    "Strong entity tag of this representation, for `If-None-Match`. Absent from a stream, whose events have it as `id`.",
    ENTITY_TAG,
  ),
  EntityTagOfPart: sometimes(
    "Strong entity tag of this part, for `If-None-Match`. Absent from a stream, and with `offset=now`.",
    ENTITY_TAG,
  ),
  IdempotentReplayed: sometimes(
    "Present if the key was used before. The reply shows the operation of the earlier request.",
    {
      const: "true",
    },
  ),
  NextPage: sometimes('Next page, with `rel="next"` (RFC 8288). Absent on the last page.', {}),
  NoSniff: always("Clients must not guess another type than `Content-Type`.", { const: "nosniff" }),
  NoStore: always("The reply must not be cached.", { const: "no-store" }),
  PreferenceApplied: sometimes("Present if the server applied `Prefer: wait`: the upper limit of the wait.", {
    pattern: APPLIED,
  }),
  PreferenceWasApplied: always("The upper limit of the wait.", { pattern: APPLIED }),
  ResourceLocation: sometimes("URI of the resource, if it has one.", { format: "uri-reference" }),
  RetryAfter: always("Seconds to wait before reading the status.", seconds(0, 60)),
  RetryAfterWhilePending: sometimes(
    "Present while the operation is pending: seconds to wait before reading its status again.",
    seconds(1, 60),
  ),
  Revalidated: always("Only this caller may cache the reply, and must revalidate it before each use.", {
    const: "private, no-cache",
  }),
  RevalidatedUnlessStreamed: always(
    "Only this caller may cache the reply, and must revalidate it before each use. A stream must not be cached.",
    { enum: ["private, no-cache", "no-store, no-transform"] },
  ),
  RevalidatedUnlessLive: always(
    "Only this caller may cache the reply, and must revalidate it before each use: chunks can be discarded. A stream, and a reply " +
      "with `offset=now`, must not be cached.",
    { enum: ["private, no-cache", "no-store", "no-cache, no-store, no-transform"] },
  ),
  StreamClosed: sometimes("Present if nothing will be added after this part.", { const: "true" }),
  StreamCursor: sometimes("Present with `live` until the output is closed: send it as `cursor` next time.", {
    pattern: "^[0-9]+$",
  }),
  StreamNextOffset: always("The `offset` of the next request.", OFFSET),
  StreamNextOffsetUnlessStreamed: sometimes(
    "The `offset` of the next request. Absent from a stream, whose events have it as `id`.",
    OFFSET,
  ),
  StreamUpToDate: sometimes("Present if no further chunk stands yet.", { const: "true" }),
  StreamWasUpToDate: always("No further chunk stands yet.", { const: "true" }),
  StatusLocation: always("URI of the operation, where its status can be read.", { format: "uri-reference" }),
  SuccessorLink: sometimes("Present if the operation failed and was run again: the new operation.", {
    pattern: `^${SUCCESSOR_LINK}$`,
  }),
  Unbuffered: sometimes("Present in a stream: proxies must not buffer it.", { const: "no" }),
};

/** Adds the components of these header fields, and returns references to them. */
export function headers(draft: Draft, fields: Readonly<Record<string, HeaderName>>): ResponseHeaders {
  return Object.fromEntries(
    Object.entries(fields).map(([field, name]) => [field, draft.header(name, HEADERS[name])]),
  );
}

/** `Retry-After` of a refusal. It has no maximum, because a hook can set it. */
export const retryAfterRefusal: OpenApiHeader = always(
  "Seconds to wait before repeating the request.",
  seconds(0),
);

/** `Stream-Next-Offset` of a refusal. */
export const lastStanding: OpenApiHeader = always(
  "The last offset before the discarded chunks. Read on from there.",
  OFFSET,
);

/** Describes a required header field with this value. */
export function fixed(description: string, value: string): OpenApiHeader {
  return always(description, { const: value });
}

/** Describes a required header field whose value matches this regular expression. */
function matching(description: string, pattern: string): OpenApiHeader {
  return always(description, { pattern });
}

/** Makes a header field optional. */
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

/** Adds the header fields of a deprecation to every response of a path. */
export function withNotice(
  responses: Readonly<Record<string, OpenApiResponse>>,
  deprecated: Deprecation | undefined,
): Readonly<Record<string, OpenApiResponse>> {
  if (deprecated === undefined) return responses;
  const { deprecation = "", sunset, link } = deprecationFields(deprecated);
  const notice: ResponseHeaders = {
    Deprecation: fixed("Time since which clients should stop using this path (RFC 9745).", deprecation),
    ...(sunset === undefined
      ? {}
      : { Sunset: fixed("Time after which this path may be removed (RFC 8594).", sunset) }),
  };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...response.headers, ...notice, ...linkOf(response, link) } },
    ]),
  );
}

/** Merges the link to the notice with the `Link` of the response. The notice comes first. */
function linkOf({ headers }: OpenApiResponse, link: string | undefined): ResponseHeaders {
  if (link === undefined) return {};
  const description = "Page about the deprecation.";
  if (headers?.Link === undefined) return { Link: fixed(description, link) };
  const pattern = `^${escaped(link)}(, ${SUCCESSOR_LINK})?$`;
  return { Link: matching(`${description} ${SUCCESSOR_TEXT}`, pattern) };
}

const SUCCESSOR_TEXT = "If the operation failed and was run again, also the new operation.";

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}
