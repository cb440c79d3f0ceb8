import type { OperationDefinition } from "../core/definition.js";
import { AsyncReplyError } from "../core/errors.js";
import { answer } from "./answer.js";
import { cancelOperation } from "./cancel-operation.js";
import type { Service } from "./context.js";
import { deprecationFields } from "./deprecation.js";
import { getOperation, notFound } from "./get-operation.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message.js";
import { emptyReply, type Fields } from "./reply.js";
import { pathOf } from "./request-path.js";
import { submitOperation } from "./submit-operation.js";

type Handler = (request: HttpRequest, context: RequestContext) => Promise<HttpResponse>;

interface Resource {
  readonly methods: Readonly<Record<string, Handler>>;
  /** What every reply of this resource says of it. */
  readonly notice?: Readonly<Fields>;
}

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

  const find = (path: string): Resource | undefined => {
    const single = path.startsWith(monitors) && !path.includes("/", monitors.length) ? monitor : undefined;
    return collections.get(path) ?? single;
  };

  return async (request, context = {}) => {
    const resource = find(pathOf(request));
    const reply =
      resource === undefined
        ? await refuse(service, request, notFound())
        : await respond(service, resource.methods, request, context);
    const { notice } = resource ?? {};
    const headers = notice === undefined ? reply.headers : { ...reply.headers, ...notice };
    // A HEAD gets the fields of a GET, `Content-Length` included, and no content (RFC 9110 §9.3.2).
    if (request.method === "HEAD") return emptyReply(reply.status, headers);
    return notice === undefined ? reply : { ...reply, headers };
  };
}

function respond(
  service: Service,
  methods: Resource["methods"],
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (handler !== undefined) return handler(request, context);
  const allow = [...Object.keys(methods), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") return Promise.resolve(emptyReply(204, { allow }));
  return refuse(service, request, methodNotAllowed(allow));
}

function refuse(service: Service, request: HttpRequest, error: AsyncReplyError): Promise<HttpResponse> {
  return answer(service, request, () => Promise.reject(error));
}

function collection(service: Service, definition: OperationDefinition): Resource {
  const { deprecated } = definition;
  return {
    methods: { POST: (request, context) => submitOperation(request, service, definition, context) },
    ...(deprecated === undefined ? {} : { notice: deprecationFields(deprecated) }),
  };
}

function statusMonitor(service: Service): Resource {
  const read: Handler = (request) => getOperation(request, service);
  const readable: Resource["methods"] = { GET: read, HEAD: read };
  if (!service.operations.some(({ cancellable }) => cancellable)) return { methods: readable };
  return { methods: { ...readable, DELETE: (request) => cancelOperation(request, service) } };
}

/** The error for a method that a resource does not have. */
export function methodNotAllowed(allow: string): AsyncReplyError {
  return new AsyncReplyError("METHOD_NOT_ALLOWED", `The methods allowed here are ${allow}.`, {
    headers: { allow },
  });
}
