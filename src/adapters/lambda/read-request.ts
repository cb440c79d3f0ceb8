import { isObject, misuse, shown } from "../../contract/options.js";
import type { HeaderFields, HttpRequest } from "../../http/message/message.js";
import type { LambdaBody, LambdaEvent, LambdaEventV1, LambdaEventV2 } from "./event.js";

/**
 * Returns an event as plain data, with the path as in the URL that the client knows.
 *
 * Throws `INVALID_OPTION` if the event is not an HTTP request.
 */
export function toHttpRequest(event: LambdaEvent): HttpRequest {
  if (isObject(event) && isObject(event.requestContext)) {
    if ("rawPath" in event && isObject(event.requestContext.http)) return fromV2(event);
    if ("httpMethod" in event) return fromV1(event);
  }
  throw misuse(
    `The handler takes events that are HTTP requests, such as those of a function URL, not ${given(event)}. Use another function for ` +
      "other triggers, such as schedules and queues.",
  );
}

function given(event: unknown): string {
  const members = isObject(event) ? Object.keys(event) : [];
  if (members.length > 0) return `one with the members ${members.join(", ")}`;
  return isObject(event) ? "an empty object" : shown(event);
}

function fromV2(event: LambdaEventV2): HttpRequest {
  // Test events of the console may have no header fields.
  const { rawPath, rawQueryString = "", cookies, headers = {}, requestContext } = event;
  const isFunctionUrl = requestContext.domainName?.includes(".lambda-url.") === true;
  return {
    method: requestContext.http.method,
    path: join(isFunctionUrl ? rawPath : encodePath(rawPath), rawQueryString),
    headers: cookies?.length ? { ...headers, cookie: cookies.join("; ") } : headers,
    body: bodyOf(event),
  };
}

function fromV1(event: LambdaEventV1): HttpRequest {
  const { httpMethod, version, requestContext, multiValueHeaders, headers } = event;
  // Only this one has the stage of a REST API, so that `basePath` and `Location` agree with the client's URL.
  const path = requestContext.path ?? event.path;
  return {
    method: httpMethod,
    path: join(version === "1.0" ? encodePath(path) : path, queryOf(event)),
    headers: (multiValueHeaders ?? headers ?? {}) as HeaderFields,
    body: bodyOf(event),
  };
}

/**
 * Encodes a path that HTTP APIs have decoded, because the service decodes path fields itself. A slash that the client
 * had encoded cannot be told from another one.
 */
function encodePath(path: string): string {
  return encodeURI(path.toWellFormed()).replace(/[?#]/g, encodeURIComponent);
}

/** Returns the query. API Gateway has decoded it, and load balancers pass it as sent. */
function queryOf(event: LambdaEventV1): string {
  const { queryStringParameters, multiValueQueryStringParameters, requestContext } = event;
  const encode = requestContext.elb === undefined ? encodeText : (text: string) => text;
  return Object.entries(multiValueQueryStringParameters ?? queryStringParameters ?? {})
    .flatMap(([name, values = []]) => [values].flat().map((value) => `${encode(name)}=${encode(value)}`))
    .join("&");
}

function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function join(path: string, query: string): string {
  return query === "" ? path : `${path}?${query}`;
}

function bodyOf({ body, isBase64Encoded }: LambdaBody): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return isBase64Encoded ? Buffer.from(body, "base64") : body;
}
