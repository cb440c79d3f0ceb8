import { type LambdaEvent, type LambdaResult, toLambdaHandler } from "async-request-reply/lambda";
import type {
  AdapterCase,
  AdapterHarness,
  WireRequest,
  WireResponse,
} from "./adapter-suite/fixtures/adapter-case.js";

/** A front of AWS that turns a request into the event of a function. Members that differ are as AWS sends them. */
export interface LambdaFront {
  toEvent(request: WireRequest): LambdaEvent;
  /** Whether the event keeps the lines of a repeated header field apart. */
  readonly fieldLines: boolean;
  /** Whether the event has the path percent-decoded, which loses some characters for good. */
  readonly decodesPath: boolean;
}

/** The fronts of AWS that can call a function. */
export const lambdaFronts = {
  "a function URL": {
    toEvent: (request) => toV2(request, "abc.lambda-url.eu-west-1.on.aws", (path) => path),
    fieldLines: false,
    decodesPath: false,
  },
  "an HTTP API with payload format 2.0": {
    toEvent: (request) => {
      const event = toV2(request, "abc.execute-api.eu-west-1.amazonaws.com", decode);
      const { cookie: _, ...headers } = event.headers;
      return { ...event, headers };
    },
    fieldLines: false,
    decodesPath: true,
  },
  "an HTTP API with payload format 1.0": {
    toEvent: (request) => ({ version: "1.0", ...toV1(request, decode) }),
    fieldLines: true,
    decodesPath: true,
  },
  "a REST API": {
    toEvent: (request) => {
      const event = toV1(request, (path) => path);
      // It removes the stage here, and keeps it in `requestContext`.
      return { ...event, path: event.path.replace(/^\/live(?=\/)/, "") };
    },
    fieldLines: true,
    decodesPath: false,
  },
  "a load balancer": {
    toEvent: (request) => {
      const { multiValueHeaders: _, multiValueQueryStringParameters: __, ...event } = toBalanced(request);
      return event;
    },
    fieldLines: false,
    decodesPath: false,
  },
  "a load balancer with multi-value header fields": {
    toEvent: (request) => {
      const { headers: _, queryStringParameters: __, ...event } = toBalanced(request);
      return event;
    },
    fieldLines: true,
    decodesPath: false,
  },
} as const satisfies Readonly<Record<string, LambdaFront>>;

/** Returns whether a case needs a body that stops in between. A function is called only with complete bodies. */
export function isUnfinished({ name }: AdapterCase): boolean {
  return /does not arrive in time|aborted upload/.test(name);
}

/** Runs the adapter suite on a function, which gets complete bodies. */
export function createLambdaHarness(
  createBackend: AdapterHarness["createBackend"],
  { toEvent, fieldLines }: LambdaFront,
  mount: typeof toLambdaHandler = toLambdaHandler,
): AdapterHarness {
  return {
    capabilities: { sockets: false, fieldLines, streams: true },
    createBackend,
    mount: async (service) => {
      const handler = mount(service);
      return { send: async (request) => toResponse(await handler(toEvent(request))) };
    },
  };
}

/** Converts the result of a function to the reply that clients get. */
export function toResponse(result: LambdaResult): WireResponse {
  const { statusCode, headers, multiValueHeaders = {}, body, isBase64Encoded } = result;
  const lines = Object.entries(multiValueHeaders).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  return {
    status: statusCode,
    headers: headers === undefined ? lines : Object.entries(headers),
    body: isBase64Encoded ? Buffer.from(body, "base64").toString() : body,
  };
}

function toV2(request: WireRequest, domainName: string, translate: (path: string) => string) {
  const { path, query } = split(request);
  const headers = Object.fromEntries(new Headers(request.headers as [string, string][]));
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: translate(path),
    rawQueryString: query,
    ...(headers.cookie === undefined ? {} : { cookies: headers.cookie.split("; ") }),
    headers,
    requestContext: {
      domainName,
      http: { method: request.method, path: decode(path), sourceIp: "192.0.2.1" },
      stage: "$default",
    },
    ...inBase64(request),
  };
}

function toV1(request: WireRequest, translate: (path: string) => string) {
  const { path, query } = split(request);
  return {
    resource: "/{proxy+}",
    path: translate(path),
    httpMethod: request.method,
    ...fieldsOf(request),
    ...queryOf([...new URLSearchParams(query)]),
    requestContext: { path: translate(path), stage: "live", identity: { sourceIp: "192.0.2.1" } },
    ...inBase64(request),
  };
}

function toBalanced(request: WireRequest) {
  const { path, query } = split(request);
  const pairs = query.split("&").map((pair): [string, string] => {
    const [name = "", value = ""] = pair.split("=");
    return [name, value];
  });
  return {
    requestContext: { elb: { targetGroupArn: "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/a/b" } },
    path,
    httpMethod: request.method,
    ...fieldsOf(request),
    ...queryOf(query === "" ? [] : pairs),
    ...inBase64(request),
  };
}

function fieldsOf({ headers }: WireRequest) {
  return { headers: Object.fromEntries(headers), multiValueHeaders: grouped(headers) };
}

function queryOf(pairs: readonly (readonly [string, string])[]) {
  if (pairs.length === 0) return { queryStringParameters: null, multiValueQueryStringParameters: null };
  return {
    queryStringParameters: Object.fromEntries(pairs),
    multiValueQueryStringParameters: grouped(pairs),
  };
}

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [name, value] of pairs) groups[name] = [...(groups[name] ?? []), value];
  return groups;
}

/** HTTP APIs decode a path, cut it at a question mark, and decode it again. They refuse one that is malformed then. */
function decode(path: string): string {
  try {
    return decodeURIComponent(decodeURIComponent(path).replace(/\?.*/s, ""));
  } catch {
    return path;
  }
}

/** Fronts of AWS also accept the absolute form of a target, and pass only its path. */
function split({ path }: WireRequest): { readonly path: string; readonly query: string } {
  const [whole = "", ...query] = path.replace(/^https?:\/\/[^/?]+/i, "").split("?");
  return { path: whole === "" ? "/" : whole, query: query.join("?") };
}

function inBase64({ body }: WireRequest) {
  const bytes = toBytes(body);
  return { body: bytes?.toString("base64") ?? null, isBase64Encoded: bytes !== undefined };
}

function toBytes(body: WireRequest["body"]): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body as string);
  return Buffer.concat(body.chunks.map((chunk) => Buffer.from(chunk as string)));
}
