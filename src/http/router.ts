import type { OperationDefinition } from "../contract/definition/definition.js";
import type { PathParams } from "../contract/definition/path-pattern.js";
import { type Requested, refuse } from "./answer.js";
import type { ServiceContext } from "./context.js";
import { releaseBody } from "./message/body-stream.js";
import { deprecationFields } from "./message/deprecation-fields.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message/message.js";
import { methodNotAllowed, notFound } from "./message/refusals.js";
import { emptyReply, type Fields } from "./message/reply.js";
import { handleCancel } from "./operation/cancel-operation.js";
import { handleGet } from "./operation/get-operation.js";
import { handleList } from "./operation/list-operations.js";
import { pathOf } from "./routing/request-path.js";
import { createRouteTable, type Match, NO_PARAMS } from "./routing/route-table.js";
import { submitTo } from "./submit/submit-operation.js";

type Handler = (request: HttpRequest, context: RequestContext, params: PathParams) => Promise<HttpResponse>;

interface Resource {
  readonly requested: Requested;
  readonly methods: Readonly<Record<string, Handler>>;
  /** Header fields that every reply of this resource carries. */
  readonly notice?: Readonly<Fields>;
}

/** Answers requests and knows which paths exist. */
export interface Router {
  /** Returns whether the service has a resource at this path, for any method. Ignores a query. */
  hasPath(path: string): boolean;
  /** Answers a request to any path, including the status endpoint. Replies 404 to unknown paths. Never rejects. */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
}

/** Creates a router. It finds a handler by path (404), then by method (405 with `Allow`, RFC 9110 §15.5.6). */
export function createRouter(service: ServiceContext): Router {
  const find = createFinder(service);
  const handle: Router["handle"] = (request, context = {}) => {
    const found = find(pathOf(request));
    if (found === undefined) return finish(request, refuse(service, request, undefined, notFound()));
    return finish(request, respond(service, found, request, context), found.target.notice);
  };
  return { handle, hasPath: (path) => find(pathOf({ path })) !== undefined };
}

/** Completes replies of deprecated definitions, and those to `HEAD`. Any other reply is complete. */
function finish(
  { method }: HttpRequest,
  replying: Promise<HttpResponse>,
  notice?: Readonly<Fields>,
): Promise<HttpResponse> {
  if (notice === undefined && method !== "HEAD") return replying;
  return replying.then((reply) => {
    const headers = notice === undefined ? reply.headers : withNotice(reply.headers, notice);
    if (method !== "HEAD") return { ...reply, headers };
    // A HEAD gets the header fields of a GET, including `Content-Length`, without the body (RFC 9110 §9.3.2).
    releaseBody(reply.body);
    return emptyReply(reply.status, headers);
  });
}

/** Creates the look-up by path. The status endpoint wins over definitions whose paths have fields. */
function createFinder(service: ServiceContext): (path: string) => Match<Resource> | undefined {
  const { basePath, statusPath } = service.settings;
  const collections = createRouteTable(
    service.definitions.map((definition) => ({
      path: basePath + definition.path,
      target: collection(service, definition),
    })),
  );
  const status = basePath + statusPath;
  const list: Match<Resource> | undefined = service.settings.list
    ? { target: operationList(service), params: NO_PARAMS }
    : undefined;
  const monitors = `${status}/`;
  const monitor: Match<Resource> = { target: statusMonitor(service), params: NO_PARAMS };
  return (path) => {
    const fixed = collections.fixed(path);
    if (fixed !== undefined) return fixed;
    if (path === status) return list;
    const isMonitor = path.startsWith(monitors) && !path.includes("/", monitors.length);
    return isMonitor ? monitor : collections.withFields(path);
  };
}

/** Adds the notice to the header fields of a reply, which may already have a `Link`. */
function withNotice(headers: HttpResponse["headers"], notice: Readonly<Fields>): HttpResponse["headers"] {
  const links = [notice.link, headers.link].filter((link) => link !== undefined);
  return { ...headers, ...notice, ...(links.length > 0 ? { link: links.join(", ") } : {}) };
}

function respond(
  service: ServiceContext,
  { target: { requested, methods }, params }: Match<Resource>,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handler !== undefined) return handler(request, context, params);
  const allow = [...Object.keys(methods), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS" && service.settings.authorize !== undefined)
    return Promise.resolve(emptyReply(204, { allow }));
  return refuse(service, request, requested, methodNotAllowed(allow));
}

function collection(service: ServiceContext, definition: OperationDefinition): Resource {
  const { deprecated } = definition;
  return {
    requested: definition,
    methods: {
      POST: (request, context, params) => submitTo(request, service, { definition, params, context }),
    },
    ...(deprecated === undefined ? {} : { notice: deprecationFields(deprecated) }),
  };
}

function operationList(service: ServiceContext): Resource {
  const read: Handler = (request) => handleList(request, service);
  return { requested: "operations", methods: { GET: read, HEAD: read } };
}

function statusMonitor(service: ServiceContext): Resource {
  const read: Handler = (request, context) => handleGet(request, service, context);
  const readable: Resource["methods"] = { GET: read, HEAD: read };
  if (!service.definitions.some(({ cancellable }) => cancellable))
    return { requested: "operation", methods: readable };
  return {
    requested: "operation",
    methods: { ...readable, DELETE: (request) => handleCancel(request, service) },
  };
}
