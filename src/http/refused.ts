import type { OperationDefinition } from "../contract/definition/definition.js";
import { AsyncReplyError, isAsyncReplyError } from "../contract/errors.js";
import type { Format } from "../formats/format.js";
import { jsonFormat } from "../formats/json.js";
import type { ServiceEvent } from "../ports/observer.js";
import { reportNoAuthorize } from "./access/no-authorize.js";
import type { ServiceContext } from "./context.js";
import { header } from "./message/headers.js";
import type { HttpRequest, HttpResponse } from "./message/message.js";
import { type ProblemReply, toProblem } from "./message/problems.js";
import { problemReply } from "./message/reply.js";
import { problemFormat } from "./negotiation/reply-format.js";
import { OUTPUT_SUFFIX } from "./operation/status-monitor.js";

/**
 * The resource that a request is about: the definition that it submits to, an operation, its output, the list of operations, or
 * something else at a path after `basePath`. Undefined if the path is unknown.
 */
export type Requested =
  | OperationDefinition
  | "operation"
  | "operations"
  | "output"
  | { readonly path: string; readonly name?: undefined }
  | undefined;

/**
 * Turns anything that a handler throws into a problem reply. The observer receives the full error. The client receives
 * only the problem, in the format it asked for. Never throws.
 */
export function replyToError(
  service: ServiceContext,
  request: HttpRequest,
  requested: Requested,
  error: unknown,
): HttpResponse {
  const toReply = (thrown: unknown, format: Format): HttpResponse => {
    const problem = toProblem(thrown, service.settings.problemBaseUri);
    const negotiated = service.formats.length > 1;
    // Formats whose problems point into the payload need the definition.
    const definition = typeof requested === "object" && requested.name !== undefined ? requested : undefined;
    const reply = problemReply(problem, format, { negotiated, definition });
    if (problem.code === "NOT_CONFIGURED") reportNoAuthorize(service);
    else service.observe(refusedEvent(request, routeOf(service, requested), problem, toldError(thrown)));
    return reply;
  };
  try {
    return toReply(error, problemFormat(header(request.headers, "accept"), service.formats));
  } catch {
    // The error of a hook holds something that cannot be serialized, or a custom format throws.
    return toReply(new AsyncReplyError("INTERNAL", "", { cause: error }), jsonFormat);
  }
}

/** Returns the pattern of a path. The path itself may hold data of the client. */
function routeOf(
  { settings: { basePath, statusPath } }: ServiceContext,
  requested: Requested,
): string | undefined {
  if (requested === undefined) return undefined;
  if (typeof requested === "object") return basePath + requested.path;
  return basePath + statusPath + BELOW[requested];
}

/** End of the path of a resource, after the status path. */
const BELOW = { operations: "", operation: "/{id}", output: `/{id}${OUTPUT_SUFFIX}` } as const;

/** Returns the error for the event: the cause, unless the error itself has an `eventDetail` for operators. */
function toldError(error: unknown): unknown {
  if (!isAsyncReplyError(error) || error.context.eventDetail !== undefined) return error;
  return error.context.cause ?? error;
}

type RefusedEvent = Extract<ServiceEvent, { readonly event: "request.refused" }>;

const METHODS: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
];

/**
 * Creates the event of a refused request.
 *
 * @param route pattern of the path. Never the path itself, which may hold data of the client.
 */
export function refusedEvent(
  { method }: HttpRequest,
  route: string | undefined,
  { status, code }: ProblemReply,
  error: unknown,
): RefusedEvent {
  // Clients can send any word as a method.
  const known = METHODS.includes(method) ? method : "_OTHER";
  const where = route === undefined ? { method: known } : { method: known, route };
  return { event: "request.refused", ...where, status, code, error };
}
