import type { Deprecation } from "../../contract/deprecation.js";
import { deprecationFields } from "../../http/message/deprecation-fields.js";
import type { OpenApiResponse } from "../document.js";
import { fixed, matching, type ResponseHeaders, SUCCESSOR_LINK } from "./headers.js";

/** Adds to every response of a path what all its replies say of its deprecation. */
export function withNotice(
  responses: Readonly<Record<string, OpenApiResponse>>,
  deprecated: Deprecation | undefined,
): Readonly<Record<string, OpenApiResponse>> {
  if (deprecated === undefined) return responses;
  const { deprecation = "", sunset, link } = deprecationFields(deprecated);
  const notice: ResponseHeaders = {
    Deprecation: fixed("Since when clients should leave (RFC 9745).", deprecation),
    ...(sunset === undefined ? {} : { Sunset: fixed("From when on it may be gone (RFC 8594).", sunset) }),
  };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...response.headers, ...notice, ...linkOf(response, link) } },
    ]),
  );
}

/** The notice comes first in a `Link` that also has what the reply itself links to. */
function linkOf({ headers }: OpenApiResponse, link: string | undefined): ResponseHeaders {
  if (link === undefined) return {};
  const description = "Where people can read about the deprecation.";
  if (headers?.Link === undefined) return { Link: fixed(description, link) };
  const pattern = `^${escaped(link)}(, ${SUCCESSOR_LINK})?$`;
  return { Link: matching(`${description} ${SUCCESSOR_TEXT}`, pattern) };
}

const SUCCESSOR_TEXT = "If the operation failed and was run again, also the operation that runs it again.";

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}
