import type { OperationDefinition } from "../../contract/definition/definition.js";
import type { PathParams } from "../../contract/definition/path-pattern.js";
import { isTerminal, type JsonText } from "../../contract/operation.js";
import type { Format } from "../../formats/format.js";
import type { Principal } from "../../ports/authorize.js";
import { accept } from "../../submission/accept.js";
import { type Accepted, toMessage } from "../../submission/accepted.js";
import { toSubmission } from "../../submission/to-submission.js";
import { submitChannel, traced } from "../../telemetry/channels.js";
import { admitRequest } from "../access/admit-request.js";
import { answer, refuse } from "../answer.js";
import type { ServiceContext } from "../context.js";
import { header, singleHeader } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { type Fields, reply } from "../message/reply.js";
import { addSuccessorLink, monitorPath } from "../operation/links.js";
import { retryAfter } from "../operation/present.js";
import { toResource } from "../operation/represent.js";
import { beginWait } from "../operation/wait.js";
import { pathOf } from "../routing/request-path.js";
import { matchPath, NO_PARAMS } from "../routing/route-table.js";
import { readSubmission } from "./read-submission.js";
import { replyToEnd } from "./reply-to-end.js";

/** Accepts work of one definition: see `submitOperation`. */
export function handleSubmission(
  request: HttpRequest,
  service: ServiceContext,
  definition: OperationDefinition,
  context: RequestContext,
): Promise<HttpResponse> {
  const { path } = definition;
  const pattern = service.settings.basePath + path;
  const params = path.includes("{") ? matchPath(pattern, pathOf(request)) : NO_PARAMS;
  if (params === undefined) return refuse(service, request, definition, notFound());
  return submitWithParams(request, service, definition, { context, params });
}

/** Platform features and path fields of a submission. */
export interface PlatformAndPath {
  readonly context: RequestContext;
  readonly params: PathParams;
}

/** Accepts work of a definition whose path has already been matched. Never rejects. */
export function submitWithParams(
  request: HttpRequest,
  service: ServiceContext,
  definition: OperationDefinition,
  context: PlatformAndPath,
): Promise<HttpResponse> {
  return answer(service, request, definition, () => submit(request, service, definition, context));
}

async function submit(
  request: HttpRequest,
  service: ServiceContext,
  definition: OperationDefinition,
  { context, params }: PlatformAndPath,
): Promise<HttpResponse> {
  const { tenant, format, accepted } = await traced(
    submitChannel,
    () => ({ definition: definition.name, header: (name) => header(request.headers, name) }),
    (message) => acceptRequest(request, service, definition, { context, params }, message?.meta),
    (answered) => ({ ...toMessage(answered.accepted), tenant: answered.tenant }),
  );
  const reply = replyToSubmission(service, definition, format, accepted);
  // A submission whose resource is created before the reply is never waited for.
  if (reply.status !== 202 || Object.hasOwn(service.create, definition.name)) return reply;
  const wait = beginWait(service, request, { id: accepted.operationId, tenant, context });
  return wait === undefined ? reply : replyToEnd(service, wait, { definition, format, accepted, reply });
}

/** A submission that was accepted, and the format of its reply. */
interface AcceptedRequest {
  readonly tenant: string;
  readonly format: Format;
  readonly accepted: Accepted;
}

async function acceptRequest(
  request: HttpRequest,
  service: ServiceContext,
  definition: OperationDefinition,
  { context, params }: PlatformAndPath,
  meta: JsonText | undefined,
): Promise<AcceptedRequest> {
  const { name } = definition;
  // Always a turn before the body is read, because Node emits a request before the body that came with its header.
  const principal = await admitRequest(service, request, { action: "submit", definition: name, params });
  const { tenant } = principal;
  const caller = { tenant, principal: principal.id };
  const checkedUrl = readWebhookUrl(service, request, principal);
  const webhookUrl = checkedUrl && (await checkedUrl);
  const read = await readSubmission(service, request, { definition, params });
  const { replyFormat, tree, output, ...parts } = read;
  const submission = toSubmission(
    service,
    definition,
    caller,
    webhookUrl === undefined && meta === undefined ? parts : { ...parts, webhookUrl, meta },
  );
  const accepted = await accept(service, { definition, submission, tree, output }, context);
  return { tenant, format: replyFormat, accepted };
}

/**
 * Returns the receiver that a request chooses with `Webhook-URL`, or undefined if it chooses none.
 *
 * Throws `INVALID_HEADER`, `FORBIDDEN`, `AUTHORIZATION_UNAVAILABLE`.
 */
function readWebhookUrl(
  { webhooks, settings, runtime }: ServiceContext,
  { headers }: HttpRequest,
  principal: Required<Principal>,
): Promise<string> | undefined {
  const url = webhooks && singleHeader(headers, "webhook-url");
  if (url === undefined) return undefined;
  return webhooks?.checkUrl(url, principal, { clock: runtime.clock, timeoutMs: settings.authorizeTimeoutMs });
}

function replyToSubmission(
  service: ServiceContext,
  { name, rootName, jsonSchema }: OperationDefinition,
  format: Format,
  accepted: Accepted,
): HttpResponse {
  const { operationId, operation, replayed, resource } = accepted;
  const wait = retryAfterOf(service, name, accepted);
  const monitor = monitorPath(service, operationId);
  const fields: Fields = { "cache-control": "no-store" };
  if (replayed) fields["idempotent-replayed"] = "true";
  addSuccessorLink(fields, service, operation);
  if (resource !== undefined) {
    const { body, location } = toResource(resource);
    // Without a `Location`, the request URI identifies the resource (RFC 9110 §15.3.2).
    if (location !== undefined) fields.location = location;
    fields["operation-location"] = monitor;
    const shown = { status: 201, kind: "resource", name: rootName, schema: jsonSchema, value: body } as const;
    return reply(format, shown, fields);
  }
  fields.location = monitor;
  fields["retry-after"] = wait;
  const value = { operationId, status: operation?.state ?? "pending" };
  return reply(format, { status: 202, kind: "operation", name: rootName, value }, fields);
}

/** Returns `Retry-After` of the reply. Seconds. Starts to track a new operation. */
function retryAfterOf(
  service: ServiceContext,
  definition: string,
  { operationId: id, operation }: Accepted,
): string {
  const { estimate, runtime } = service;
  if (operation === undefined) return String(estimate.accepted({ id, definition }, runtime.clock.now()));
  return isTerminal(operation.state) ? "0" : retryAfter(service, operation);
}
