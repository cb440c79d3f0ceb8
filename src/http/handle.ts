import type { OperationDefinition } from "../contract/definition/definition.js";
import type { PathParams } from "../contract/definition/path-pattern.js";
import type { AsyncReplyError } from "../contract/errors.js";
import { misuse } from "../contract/options.js";
import { notConfigured } from "./access/no-authorize.js";
import type { ServiceContext } from "./context.js";
import { deprecationFields } from "./message/deprecation-fields.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message/message.js";
import { methodNotAllowed, notFound } from "./message/refusals.js";
import { emptyReply, type Fields, releaseBody } from "./message/reply.js";
import { cancelOperation } from "./operation/cancel-operation.js";
import { getOperation } from "./operation/get-operation.js";
import { listOperations } from "./operation/list-operations.js";
import { OUTPUT_SUFFIX } from "./operation/status-monitor.js";
import { getOutput } from "./output/get-output.js";
import { type Requested, replyToError } from "./refused.js";
import { createRouteTable, type Match, NO_PARAMS, pathOf } from "./routing/route-table.js";
import { submit } from "./submit/submit-operation.js";

/** Replies to a request, or throws why not. */
export type Handler = (
  request: HttpRequest,
  service: ServiceContext,
  context: RequestContext,
  params: PathParams,
) => Promise<HttpResponse>;

interface Resource {
  readonly requested: Requested;
  readonly methods: Readonly<Record<string, Handler>>;
  /** Header fields that every reply of this resource carries. */
  readonly notice?: Readonly<Fields>;
}

/** The handlers of a router, for requests that it has a path and a method for. */
export interface Handlers {
  readonly submit: (definition: OperationDefinition) => Handler;
  readonly read: Handler;
  readonly cancel: Handler;
  readonly list: Handler;
  readonly output: Handler;
}

/** Answers requests and knows which paths exist. */
export interface Router {
  /** Returns whether the service has a resource at this path, for any method. Ignores a query. */
  hasPath(path: string): boolean;
  /**
   * Answers a request to any path, including the status endpoint. Replies 404 to unknown paths. Rejects with `INVALID_OPTION` if
   * the argument is no request, and never otherwise.
   */
  handle(request: HttpRequest, context?: RequestContext): Promise<HttpResponse>;
}

/** Answers with the operations of the service. */
const ANSWERING: Handlers = {
  submit: (definition) => (request, service, context, params) =>
    submit(request, service, { definition, params, context }),
  read: getOperation,
  cancel: cancelOperation,
  list: listOperations,
  output: getOutput,
};

/** Creates a router. It finds a handler by path (404), then by method (405 with `Allow`, RFC 9110 §15.5.6). */
export function createRouter(service: ServiceContext, handlers: Handlers = ANSWERING): Router {
  const find = createFinder(service, handlers);
  const handle: Router["handle"] = (request, context = {}) => {
    if (typeof (request as Partial<HttpRequest> | undefined)?.path !== "string")
      return Promise.reject(noPath());
    const found = find(pathOf(request));
    const replying =
      found?.params === undefined
        ? answer(service, request, undefined, unknownPath)
        : respond(service, found.target, found.params, request, context);
    return finish(request, replying, found?.target.notice);
  };
  return { handle, hasPath: (path) => find(pathOf({ path }))?.params !== undefined };
}

function noPath(): AsyncReplyError {
  return misuse(
    "service.handle takes a request as plain data: `{ method, path, headers, body }`. For a `Request`, or a request of Node, mount " +
      "the service with toFetchHandler(service) or toNodeHandler(service).",
  );
}

/** Completes replies of deprecated definitions, and those to `HEAD`. Any other reply is complete. */
export function finish(
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
function createFinder(
  service: ServiceContext,
  handlers: Handlers,
): (path: string) => Match<Resource> | undefined {
  const { basePath, statusPath } = service.settings;
  const collections = createRouteTable(
    service.definitions.map((definition) => ({
      path: basePath + definition.path,
      target: collection(definition, handlers),
    })),
  );
  const status = basePath + statusPath;
  const list: Match<Resource> | undefined = service.settings.list
    ? { target: readable("operations", handlers.list), params: NO_PARAMS }
    : undefined;
  const monitors = `${status}/`;
  const monitor: Match<Resource> = { target: statusMonitor(service, handlers), params: NO_PARAMS };
  const hasOutputs = service.definitions.some(({ chunk }) => chunk !== undefined);
  const output: Match<Resource> = { target: readable("output", handlers.output), params: NO_PARAMS };
  return (path) => {
    const fixed = collections.fixed(path);
    if (fixed !== undefined) return fixed;
    if (path === status) return list;
    if (path.startsWith(monitors)) {
      const rest = path.indexOf("/", monitors.length);
      if (rest === -1) return monitor;
      if (hasOutputs && path.slice(rest) === OUTPUT_SUFFIX) return output;
    }
    return collections.withFields(path);
  };
}

/** Adds the notice to the header fields of a reply, which may already have a `Link`. */
function withNotice(headers: HttpResponse["headers"], notice: Readonly<Fields>): HttpResponse["headers"] {
  const links = [notice.link, headers.link].filter((link) => link !== undefined);
  return { ...headers, ...notice, ...(links.length > 0 ? { link: links.join(", ") } : {}) };
}

function unknownPath(): never {
  throw notFound();
}

function respond(
  service: ServiceContext,
  { requested, methods }: Resource,
  params: PathParams,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handler !== undefined) return answer(service, request, requested, handler, context, params);
  const allow = [...Object.keys(methods), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS" && service.settings.authorize !== undefined)
    return Promise.resolve(emptyReply(204, { allow }));
  return refuse(service, request, requested, methodNotAllowed(allow));
}

/**
 * Runs a handler while the service is open, and turns anything it throws into a problem reply. The observer receives
 * the full error. Never rejects.
 */
export async function answer(
  service: ServiceContext,
  request: HttpRequest,
  requested: Requested,
  handler: Handler,
  context: RequestContext = {},
  params: PathParams = NO_PARAMS,
): Promise<HttpResponse> {
  try {
    service.lifecycle.enter();
    try {
      // So that no path is open by accident.
      if (service.settings.authorize === undefined) throw notConfigured();
      return await handler(request, service, context, params);
    } finally {
      service.lifecycle.leave();
    }
  } catch (error) {
    return replyToError(service, request, requested, error);
  }
}

/** Answers a request with an error. The observer receives it too. */
export function refuse(
  service: ServiceContext,
  request: HttpRequest,
  requested: Requested,
  error: AsyncReplyError,
): Promise<HttpResponse> {
  return answer(service, request, requested, () => Promise.reject(error));
}

function collection(definition: OperationDefinition, { submit }: Handlers): Resource {
  const { deprecated } = definition;
  return {
    requested: definition,
    methods: { POST: submit(definition) },
    ...(deprecated === undefined ? {} : { notice: deprecationFields(deprecated) }),
  };
}

function readable(requested: Requested, read: Handler): Resource {
  return { requested, methods: { GET: read, HEAD: read } };
}

function statusMonitor({ definitions }: ServiceContext, { read, cancel }: Handlers): Resource {
  const monitor = readable("operation", read);
  const isCancellable = definitions.some(({ cancellable }) => cancellable);
  return isCancellable ? { ...monitor, methods: { ...monitor.methods, DELETE: cancel } } : monitor;
}
