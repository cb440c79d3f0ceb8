import type { Service } from "async-request-reply";
import type {
  AdapterHarness,
  WireRequest,
  WireResponse,
} from "../support/adapter-suite/fixtures/adapter-case.js";

/** The event that API Gateway passes to a function. docs/frameworks.md reads only a part of it. */
export interface HttpApiEvent {
  readonly version: "2.0";
  readonly routeKey: string;
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly http: { readonly method: string; readonly path: string; readonly sourceIp: string };
    readonly stage: string;
  };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

interface LambdaReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The function that the page exports. */
export type ToLambdaHandler = (service: Service) => (event: HttpApiEvent) => Promise<LambdaReply>;

/** Runs the adapter suite on a function, which gets complete bodies and joined field lines. */
export function createLambdaHarness(
  createBackend: AdapterHarness["createBackend"],
  toLambdaHandler: ToLambdaHandler,
): AdapterHarness {
  return {
    capabilities: { sockets: false, fieldLines: false },
    createBackend,
    mount: async (service) => {
      const handler = toLambdaHandler(service);
      return { send: async (request) => toResponse(await handler(toEvent(request))) };
    },
  };
}

/** Converts a request as API Gateway does: the body in Base64, names in lower case, repeated fields joined. */
export function toEvent({ method, path, headers, body }: WireRequest): HttpApiEvent {
  const [rawPath = "", rawQueryString = ""] = path.split("?");
  const joined = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  const bytes = toBytes(body);
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    headers: Object.fromEntries(joined),
    requestContext: { http: { method, path: rawPath, sourceIp: "192.0.2.1" }, stage: "$default" },
    ...(bytes === undefined ? {} : { body: bytes.toString("base64") }),
    isBase64Encoded: bytes !== undefined,
  };
}

function toBytes(body: WireRequest["body"]): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body as string);
  return Buffer.concat(body.chunks.map((chunk) => Buffer.from(chunk as string)));
}

function toResponse({ statusCode, headers, body }: LambdaReply): WireResponse {
  return { status: statusCode, headers: Object.entries(headers), body };
}
