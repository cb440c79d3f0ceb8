import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";

/** Requests that the `Request` class of the Fetch API cannot express, by reason. */
export const beyondFetch: Readonly<Record<string, (request: WireRequest) => boolean>> = {
  "a method that Request forbids": ({ method }) => method === "TRACE",
  "a GET or HEAD with a body": ({ method, body }) =>
    (method === "GET" || method === "HEAD") && body !== undefined,
  "a target that URL would rewrite": ({ path }) => !isKeptByUrl(path),
  "several lines of a field that allows only one value": ({ headers }) =>
    SINGLE_FIELDS.some((field) => headers.filter(([name]) => name.toLowerCase() === field).length > 1),
};

const SINGLE_FIELDS = ["authorization", "content-type", "idempotency-key", "content-length"];

/** A URL resolves dot segments, drops fragments and escapes characters. */
function isKeptByUrl(path: string): boolean {
  const whole = /^https?:/i.test(path) ? path : `http://localhost${path}`;
  if (!URL.canParse(whole)) return false;
  const url = new URL(whole);
  url.hash = "";
  return url.href === whole;
}

/** Lists the reasons why `Request` cannot express this request. Empty if it can. */
export function reasonsBeyondFetch(request: WireRequest): readonly string[] {
  return Object.keys(beyondFetch).filter((reason) => beyondFetch[reason]?.(request));
}

export function canBeFetched(request: WireRequest): boolean {
  return reasonsBeyondFetch(request).length === 0;
}
