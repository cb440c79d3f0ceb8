import type { OperationDefinition } from "../../contract/definition/definition.js";
import { parseStored } from "../../contract/json/json-text.js";
import type { Mutable } from "../../contract/mutable.js";
import { isTerminal, type JsonText } from "../../contract/operation.js";
import type { Format } from "../../formats/format.js";
import { accept, reportAccepted } from "../../operations/submission/accept.js";
import { type Accepted, toMessage } from "../../operations/submission/accepted.js";
import { checkPayload } from "../../operations/submission/check-payload.js";
import { type ChosenMembers, toSubmission } from "../../operations/submission/to-submission.js";
import type { Principal } from "../../ports/authorize.js";
import type { CreatedResource } from "../../ports/create.js";
import { isTraced, submitChannel, traced } from "../../telemetry/channels.js";
import type { SubmitMessage } from "../../telemetry/messages.js";
import { admitRequest } from "../access/admit-request.js";
import type { ServiceContext } from "../context.js";
import { header, joined, type RequestFields, readFields, single } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { readBody } from "../message/read-body.js";
import { type Fields, reply } from "../message/reply.js";
import { addSuccessorLink, monitorPath, retryAfter } from "../operation/status-monitor.js";
import { beginWait } from "../operation/wait.js";
import { type Addressed, readAnnounced, readPayload } from "./read-submission.js";
import { replyToEnd } from "./reply-to-end.js";

/** A submission to a path that has already been matched, and the features of its platform. */
interface Target extends Addressed {
  readonly context: RequestContext;
}

/**
 * Accepts work of a definition whose path has already been matched.
 *
 * Throws the first reason to refuse the request.
 */
export function submit(request: HttpRequest, service: ServiceContext, target: Target): Promise<HttpResponse> {
  return isTraced(submitChannel)
    ? submitTraced(request, service, target)
    : acceptRequest(request, service, target);
}

/** A submission that was accepted. */
interface AcceptedRequest {
  readonly tenant: string;
  readonly accepted: Accepted;
}

/** Publishes a submission from its beginning to its record, but not its wait. */
function submitTraced(request: HttpRequest, service: ServiceContext, target: Target): Promise<HttpResponse> {
  let replying: Promise<HttpResponse> | undefined;
  return traced<SubmitMessage, AcceptedRequest>(
    submitChannel,
    () => ({ definition: target.definition.name, header: (name) => header(request.headers, name) }),
    (message) =>
      new Promise((resolve, reject) => {
        replying = acceptRequest(request, service, target, { meta: message?.meta, onAccepted: resolve });
        replying.catch(reject);
      }),
    ({ accepted, tenant }) => ({ ...toMessage(accepted), tenant }),
  ).then(() => replying as Promise<HttpResponse>);
}

/** Data that a subscriber of the channel adds to a submission, and a function that learns that it was accepted. */
interface Tracing {
  readonly meta: JsonText | undefined;
  readonly onAccepted: (accepted: AcceptedRequest) => void;
}

/**
 * Admits, reads, validates and records a submission, and replies. Awaits only what is a promise: a hook that is
 * asynchronous, a body that has not arrived yet, a validator or a hash that is asynchronous, and the store.
 */
async function acceptRequest(
  request: HttpRequest,
  service: ServiceContext,
  target: Target,
  tracing?: Tracing,
): Promise<HttpResponse> {
  const { settings, runtime } = service;
  const { definition, params, context } = target;
  const { name } = definition;
  const fields = readFields(request);
  // Always a turn before the body is read, because Node emits a request before the body that came with its header.
  const principal = await admitRequest(
    service,
    request,
    { action: "submit", definition: name, params },
    fields,
  );
  const { tenant } = principal;
  const checkedUrl = readWebhookUrl(service, fields, principal);
  const webhookUrl = checkedUrl && (await checkedUrl);
  const { format, replyFormat, key, urgency } = readAnnounced(fields, service.formats, definition);
  const body = readBody(request, joined(fields["content-length"]), settings, runtime.clock);
  const bytes = body instanceof Promise ? await body : body;
  const payload = readPayload(format, bytes, settings, target);
  const { value, tree } = payload instanceof Promise ? await payload : payload;
  const checking = checkPayload(definition, { value, tree, mediaType: format.mediaTypes[0] }, runtime.hash);
  const checkedPayload = checking instanceof Promise ? await checking : checking;
  const chosen: Mutable<ChosenMembers> = { principal: principal.id };
  if (key !== undefined) chosen.key = key;
  if (tracing?.meta !== undefined) chosen.meta = tracing.meta;
  const asked = { definition, tenant, chosen, urgency, webhookUrl };
  const submission = toSubmission(service, asked, checkedPayload);
  const checked = { definition, submission, tree, output: checkedPayload.output };
  const accepted = await accept(service, checked);
  reportAccepted(service, checked, accepted, context);
  tracing?.onAccepted({ tenant, accepted });
  const reply = replyToSubmission(service, definition, replyFormat, accepted);
  const prefer = joined(fields.prefer);
  // A submission whose resource is created before the reply is never waited for.
  if (prefer === undefined || reply.status !== 202 || Object.hasOwn(service.create, name)) return reply;
  const wait = beginWait(service, prefer, { id: accepted.operationId, tenant, context });
  if (wait === undefined) return reply;
  return replyToEnd(service, wait, { definition, format: replyFormat, accepted, reply });
}

/**
 * Returns the receiver that a request chooses with `Webhook-URL`, or undefined if it chooses none.
 *
 * Throws `INVALID_HEADER`, `FORBIDDEN`, `AUTHORIZATION_UNAVAILABLE`.
 */
function readWebhookUrl(
  { webhooks, settings, runtime }: ServiceContext,
  fields: RequestFields,
  principal: Required<Principal>,
): Promise<string> | undefined {
  const url = webhooks && single(fields, "webhook-url");
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
  if (resource === undefined) {
    // All at once, because each field that is added later moves those before it.
    const fields: Fields = { "cache-control": "no-store", location: monitor, "retry-after": wait };
    if (replayed) fields["idempotent-replayed"] = "true";
    addSuccessorLink(fields, service, operation);
    const value = { operationId, status: operation?.state ?? "pending" };
    return reply(format, { status: 202, kind: "operation", name: rootName, value }, fields);
  }
  const fields: Fields = { "cache-control": "no-store" };
  if (replayed) fields["idempotent-replayed"] = "true";
  addSuccessorLink(fields, service, operation);
  const { body, location } = parseStored(resource) as CreatedResource;
  // Without a `Location`, the request URI identifies the resource (RFC 9110 §15.3.2).
  if (location !== undefined) fields.location = location;
  fields["operation-location"] = monitor;
  const shown = { status: 201, kind: "resource", name: rootName, schema: jsonSchema, value: body } as const;
  return reply(format, shown, fields);
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
