import type { ErrorCode } from "../../contract/errors.js";
import { type ProblemName, problem } from "../../contract/problem.js";
import { replyTo } from "../../http/message/problems.js";
import type { OpenApiHeader, OpenApiResponse } from "../document.js";
import type { Draft } from "../draft.js";
import { anyProblem } from "../schemas/problem-schemas.js";
import { challengeOf } from "../security.js";
import { replyContent } from "./content.js";
import {
  fixed,
  headers,
  lastStanding,
  optional,
  type ResponseHeaders,
  retryAfterRefusal,
} from "./headers.js";

/** Returns the error codes that any request can get, in the order of the checks. */
export function commonRefusals({ authorize, admit }: Draft["settings"]): ErrorCode[] {
  return [
    "TOO_MANY_HEADER_FIELDS",
    "INVALID_HEADER",
    ...(authorize?.scheme === "none" ? [] : UNAUTHORIZED),
    ...(admit === undefined ? [] : NOT_ADMITTED),
    "NOT_ACCEPTABLE",
    "INTERNAL",
  ];
}

const UNAUTHORIZED: readonly ErrorCode[] = ["UNAUTHENTICATED", "FORBIDDEN", "AUTHORIZATION_UNAVAILABLE"];
const NOT_ADMITTED: readonly ErrorCode[] = ["TOO_MANY_REQUESTS", "OVERLOADED"];

/** Describes the replies to errors with these codes, by status. */
export function refusals(draft: Draft, codes: readonly ErrorCode[]): Record<string, OpenApiResponse> {
  const statuses = new Set(codes.map((code) => replyTo(code).status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const alike = codes.filter((code) => replyTo(code).status === status);
      const names = [...new Set(alike.map((code) => replyTo(code).problem))];
      const response: OpenApiResponse = {
        description: names.map(sentence).join(" "),
        headers: {
          ...headers(draft, { "Cache-Control": "NoStore", "X-Content-Type-Options": "NoSniff" }),
          ...(draft.formats.length > 1 ? headers(draft, { Vary: "AcceptVaries" }) : {}),
          ...merged(alike.map((code) => fieldsOf(code, draft))),
        },
        content: replyContent(draft, "problem", anyProblem(draft, names, status)),
      };
      return [status, response];
    }),
  );
}

type Fields = Readonly<Record<string, OpenApiHeader>>;

/** Returns the header fields of one error code, in addition to those of all problems. */
function fieldsOf(code: ErrorCode, { settings, formats }: Draft): Fields {
  const types = formats.map(({ mediaTypes }) => mediaTypes[0]).join(", ");
  const fields: Partial<Record<ErrorCode, Fields>> = {
    UNAUTHENTICATED: { "WWW-Authenticate": fixed("How to authenticate.", challengeOf(settings.authorize)) },
    METHOD_NOT_ALLOWED: { Allow: fixed("Allowed methods.", "GET, HEAD, OPTIONS") },
    OUTPUT_DISCARDED: { "Stream-Next-Offset": lastStanding },
    UNSUPPORTED_MEDIA_TYPE: { Accept: fixed("Supported media types.", types) },
    UNSUPPORTED_CONTENT_CODING: {
      "Accept-Encoding": fixed("Supported content codings.", "identity"),
    },
  };
  const { retryAfterSeconds } = replyTo(code);
  return {
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": retryAfterRefusal }),
    ...fields[code],
  };
}

/** Merges the header fields of several errors. A field that not all of them have is optional. */
function merged(kinds: readonly Fields[]): ResponseHeaders {
  const all = Object.entries(Object.assign({}, ...kinds) as Fields);
  return Object.fromEntries(
    all.map(([name, header]) => [name, kinds.every((kind) => name in kind) ? header : optional(header)]),
  );
}

function sentence(name: ProblemName): string {
  return `${problem(name).title}.`;
}
