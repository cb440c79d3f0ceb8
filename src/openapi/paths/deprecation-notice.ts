import type { Deprecation } from "../../contract/definition/deprecation.js";
import { deprecationFields } from "../../http/message/deprecation-fields.js";
import type { OpenApiResponse } from "../document.js";
import { fixed, matching, type ResponseHeaders, SUCCESSOR_LINK } from "./headers.js";

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
