import type { WireRequest } from "../../src/testing/suites/adapter/adapter-case.js";

/** What a `Request` of the Fetch API cannot say, by the name of the reason. */
export const beyondFetch: Readonly<Record<string, (request: WireRequest) => boolean>> = {
  "a method that Request forbids": ({ method }) => method === "TRACE",
  "a GET or HEAD with a body": ({ method, body }) =>
    (method === "GET" || method === "HEAD") && body !== undefined,
  "a target that URL writes in another way": ({ path }) => !isWrittenSo(path),
  "lines apart of a field that there can be only one of": ({ headers }) =>
    SINGLE_FIELDS.some((field) => headers.filter(([name]) => name.toLowerCase() === field).length > 1),
};

const SINGLE_FIELDS = ["authorization", "content-type", "idempotency-key", "content-length"];

/** Without dot segments, fragments and characters to be escaped, which a URL does not keep as they stand. */
function isWrittenSo(path: string): boolean {
  const whole = /^https?:/i.test(path) ? path : `http://localhost${path}`;
  if (!URL.canParse(whole)) return false;
  const url = new URL(whole);
  url.hash = "";
  return url.href === whole;
}

/** Why `Request` cannot say this, by name. */
export function reasonsBeyondFetch(request: WireRequest): readonly string[] {
  return Object.keys(beyondFetch).filter((reason) => beyondFetch[reason]?.(request));
}

/** Whether `Request` can say this as well as a connection can. */
export function isForFetch(request: WireRequest): boolean {
  return reasonsBeyondFetch(request).length === 0;
}
