import type { OperationDefinition } from "../core/definition.js";
import { isTerminal, type Operation } from "../core/operation.js";
import type { OrderDefinition } from "../core/order.js";
import type { Format } from "../formats/format.js";
import { admitRequest } from "./admission.js";
import { answer } from "./answer.js";
import type { Service } from "./context.js";
import { createBeforeReply } from "./create-before-reply.js";
import { retryAfter } from "./get-operation.js";
import type { HttpRequest, HttpResponse, RequestContext } from "./message.js";
import { readSubmission } from "./read-submission.js";
import { type Accepted, type Kept, recordSubmission, replayOf, toSubmission } from "./record-submission.js";
import { type Fields, reply } from "./reply.js";
import { toResource } from "./represent.js";

/**
 * Accepts an order and replies before the work is done: 202 with `Location` and `Retry-After` (spec §4.1), or 201 where
 * the definition creates the order first. Whatever can be refused is refused before anything is stored or queued (§7).
 * Never rejects.
 */
export function submitOrder(
  request: HttpRequest,
  service: Service<readonly [OrderDefinition, ...OperationDefinition[]]>,
  context?: RequestContext,
): Promise<HttpResponse> {
  return submitOperation(request, service, service.operations[0], context);
}

/** Accepts work of one definition: see {@link submitOrder}. Never rejects. */
export function submitOperation(
  request: HttpRequest,
  service: Service,
  definition: OperationDefinition,
  context: RequestContext = {},
): Promise<HttpResponse> {
  return answer(service, request, () => submit(request, service, definition, context), definition);
}

async function submit(
  request: HttpRequest,
  service: Service,
  definition: OperationDefinition,
  context: RequestContext,
): Promise<HttpResponse> {
  const { name } = definition;
  const principal = await admitRequest(service, request, { action: "submit", definition: name });
  const read = await readSubmission(service, request, definition);
  const submission = toSubmission(service, definition, principal, read);
  // From here on every step may be repeated: a retry after a crash meets the same operation and helps it to its end.
  const accepted =
    definition.create === undefined
      ? toAccepted(await recordSubmission(service, submission))
      : await createBeforeReply({ service, definition, submission, output: read.output });
  const { operationId, replayed } = accepted;
  const event = replayed ? "operation.replayed" : "operation.accepted";
  service.observe({ event, operationId, definition: name, scope: principal.scope });
  if (accepted.announce) {
    // Not awaited: the record is the outbox, and a silent broker must not hold back the reply.
    stayFor(service, context, service.announcer.announce({ id: operationId, definition: name }));
  }
  return replyToSubmission(service, definition, read.replyFormat, accepted);
}

/** A platform that refuses to stay must not turn what is recorded into an error: the sweep announces it later. */
function stayFor({ observe }: Service, context: RequestContext, work: Promise<void>): void {
  try {
    context.waitUntil?.(work);
  } catch (error) {
    observe({ event: "background.failed", step: "announce", error });
  }
}

function toAccepted(recorded: Kept): Accepted {
  if (recorded.outcome === "replayed") return replayOf(recorded.operation);
  const { operationId, replayed } = recorded;
  return { operationId, replayed, announce: true };
}

function replyToSubmission(
  service: Service,
  { name, rootName, jsonSchema }: OperationDefinition,
  format: Format,
  accepted: Accepted,
): HttpResponse {
  const { operationId, operation, replayed, resource } = accepted;
  const monitor = `${service.settings.basePath}/operations/${operationId}`;
  const fields: Fields = { "cache-control": "no-store" };
  if (replayed) fields["idempotent-replayed"] = "true";
  if (resource !== undefined) {
    const { body, location } = toResource(resource);
    // Without a URI of its own the resource is identified by the target URI (RFC 9110 §15.3.2).
    if (location !== undefined) fields.location = location;
    fields["operation-location"] = monitor;
    const shown = { status: 201, kind: "resource", name: rootName, schema: jsonSchema, value: body } as const;
    return reply(format, shown, fields);
  }
  fields.location = monitor;
  fields["retry-after"] = retryAfterOf(service, name, operation);
  const value = { operationId, status: operation?.state ?? "pending" };
  return reply(format, { status: 202, kind: "operation", name: rootName, value }, fields);
}

function retryAfterOf(service: Service, definition: string, operation: Operation | undefined): string {
  if (operation === undefined) return String(service.estimate.seconds(definition, 0));
  return isTerminal(operation.state) ? "0" : retryAfter(service, operation);
}
