import type { Deprecation } from "../core/deprecation.js";
import { deprecationFields } from "../http/deprecation.js";
import type { OpenApiResponse } from "./document.js";
import { fixed, type ResponseHeaders } from "./headers.js";

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
    ...(link === undefined ? {} : { Link: fixed("Where people can read about it.", link) }),
  };
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...response.headers, ...notice } },
    ]),
  );
}
