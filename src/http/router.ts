import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import { answer } from "./answer.js";
import { cancelOperation } from "./cancel-operation.js";
import type { Service } from "./context.js";
import { getOperation, notFound } from "./get-operation.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message.js";
import { emptyReply } from "./reply.js";
import { pathOf } from "./request-path.js";
import { submitOperation } from "./submit-operation.js";

type Handler = (request: HttpRequest, context: RequestContext) => Promise<HttpResponse>;

/** The methods of one resource. */
type Resource = Readonly<Record<string, Handler>>;

/** Finds the handler of a request: by path (404), then by method (405 with `Allow`, RFC 9110 §15.5.6). */
export function createRouter(
  service: Service,
): (request: HttpRequest, context?: RequestContext) => Promise<HttpResponse> {
  const { basePath } = service.settings;
  const collections = new Map(
    service.operations.map((definition) => [basePath + definition.path, collection(service, definition)]),
  );
  const monitors = `${basePath}/operations/`;
  const monitor = statusMonitor(service);

  const route = (request: HttpRequest, context: RequestContext): Promise<HttpResponse> => {
    const path = pathOf(request);
    const single = path.startsWith(monitors) && !path.includes("/", monitors.length) ? monitor : undefined;
    const resource = collections.get(path) ?? single;
    if (resource === undefined) return answer(service, () => Promise.reject(notFound()));
    const handler = Object.hasOwn(resource, request.method) ? resource[request.method] : undefined;
    if (handler !== undefined) return handler(request, context);
    const allow = [...Object.keys(resource), "OPTIONS"].join(", ");
    if (request.method === "OPTIONS") return Promise.resolve(emptyReply(204, { allow }));
    return answer(service, () => Promise.reject(methodNotAllowed(allow)));
  };

  return async (request, context = {}) => {
    const reply = await route(request, context);
    // The fields of a GET, `Content-Length` included, and no content (RFC 9110 §9.3.2).
    return request.method === "HEAD" ? emptyReply(reply.status, reply.headers) : reply;
  };
}

function collection(service: Service, definition: OperationDefinition): Resource {
  return { POST: (request, context) => submitOperation(request, service, definition, context) };
}

function statusMonitor(service: Service): Resource {
  const read: Handler = (request) => getOperation(request, service);
  const readable: Resource = { GET: read, HEAD: read };
  if (!service.operations.some(({ cancellable }) => cancellable)) return readable;
  return { ...readable, DELETE: (request) => cancelOperation(request, service) };
}

function methodNotAllowed(allow: string): AsyncReplyError {
  return new AsyncReplyError("METHOD_NOT_ALLOWED", `The methods allowed here are ${allow}.`, {
    headers: { allow },
  });
}
