import { AsyncReplyError, forbidden, isAsyncReplyError } from "../contract/errors.js";
import { header } from "../http/message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../http/message/message.js";
import { toProblem } from "../http/message/problems.js";
import { readBody } from "../http/message/read-body.js";
import { methodNotAllowed, notFound } from "../http/message/refusals.js";
import { releaseBody } from "../http/message/reply.js";
import { refusedEvent } from "../http/refused.js";
import { pathOf } from "../http/routing/route-table.js";
import { authorizeRequest, type ConsoleAccess, checkOrigin } from "./access/authorize.js";
import type { ConsoleContext } from "./context.js";
import { eventReply, jsonReply, problemReply, redirectReply, textReply } from "./reply.js";
import { type DataRoute, findRoute } from "./routes.js";

/** Limits of the bodies of changes. */
const BODY_LIMITS = { maxBodyBytes: 16_384, bodyTimeoutMs: 10_000 } as const;

/** Answers a request. Never rejects. */
export async function handle(
  context: ConsoleContext,
  request: HttpRequest,
  platform: RequestContext,
): Promise<HttpResponse> {
  try {
    return withoutBodyOfHead(request, await respond(context, request, platform));
  } catch (error) {
    return withoutBodyOfHead(request, refuse(context, request, error));
  }
}

/** Authorizes first, so that strangers learn nothing, not even which paths exist. */
async function respond(
  context: ConsoleContext,
  request: HttpRequest,
  { signal }: RequestContext,
): Promise<HttpResponse> {
  const caller = await authorizeRequest(context.authorize, request, context.clock);
  const found = findRoute(pathOf(request));
  if (found === undefined) throw notFound();
  const { route, operationId } = found;
  const isChange = "run" in route && route.method === "POST";
  checkMethod(request.method, isChange);
  if ("location" in route) return redirectReply(route.location + queryOf(request));
  if ("text" in route) return textReply(route.mediaType, route.text);
  if ("open" in route) return eventReply(route.open(context, { caller, signal }));
  if (route.operates) checkOperates(caller.access);
  if (isChange) checkOrigin(request);
  const body = isChange ? await readJson(context, request) : undefined;
  const query = new URLSearchParams(queryOf(request));
  return jsonReply(await runRoute(route, context, { caller, operationId, query, body, signal }));
}

/** Turns mistakes in a filter into errors that clients may see. */
async function runRoute(
  route: DataRoute,
  ...[context, call]: Parameters<DataRoute["run"]>
): Promise<unknown> {
  try {
    return await route.run(context, call);
  } catch (error) {
    const { code, detail = "" } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
    if (code === "INVALID_OPTION") throw new AsyncReplyError("INVALID_QUERY", detail, { cause: error });
    throw error;
  }
}

function checkMethod(method: string, isChange: boolean): void {
  const allowed = isChange ? ["POST"] : ["GET", "HEAD"];
  if (!allowed.includes(method)) throw methodNotAllowed(allowed.join(", "));
}

function checkOperates(access: ConsoleAccess): void {
  if (access !== "operate") throw forbidden("You can only observe. This needs the access `operate`.");
}

async function readJson({ clock }: ConsoleContext, request: HttpRequest): Promise<unknown> {
  const bytes = await readBody(request, header(request.headers, "content-length"), BODY_LIMITS, clock);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AsyncReplyError("MALFORMED_BODY", "The body is not JSON.");
  }
}

function refuse({ observe }: ConsoleContext, request: HttpRequest, error: unknown): HttpResponse {
  const problem = toProblem(error);
  observe(refusedEvent(request, findRoute(pathOf(request))?.pattern, problem, error));
  return problemReply(problem);
}

function queryOf({ path }: HttpRequest): string {
  const start = path.indexOf("?");
  return start === -1 ? "" : path.slice(start);
}

function withoutBodyOfHead({ method }: HttpRequest, { status, headers, body }: HttpResponse): HttpResponse {
  if (method !== "HEAD" && body !== undefined) return { status, headers, body };
  releaseBody(body);
  return { status, headers };
}
