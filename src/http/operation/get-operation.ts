import { isOperationId, isTerminal, type Operation } from "../../contract/operation.js";
import { storeAnswer } from "../../submission/store-answer.js";
import { admitRequest } from "../access/admit-request.js";
import { answer } from "../answer.js";
import { checkService } from "../check-service.js";
import type { Service } from "../context.js";
import { entityTag, matches } from "../message/entity-tag.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { type Fields, notModified, reply } from "../message/reply.js";
import { pathOf } from "../message/request-path.js";
import { replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { toVisible } from "./represent.js";
import { addSuccessorLink } from "./successor-link.js";

/**
 * Replies with the status of an operation: 200 while it is pending and after it has ended (spec §4.2). The reply for
 * an operation of another tenant is the same 404 as for an unknown one. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 */
export function getOperation(request: HttpRequest, service: Service): Promise<HttpResponse> {
  checkService(service, "getOperation", "settings");
  return answer(service, request, async () => {
    const { tenant } = await admitRequest(service, request, { action: "read", params: NO_PARAMS });
    const format = replyFormat(header(request.headers, "accept"), service.formats);
    const operation = await findOperation(service, request, tenant);
    const { definition: name } = operation;
    const fields: Fields = { "cache-control": "private, no-cache" };
    // A process without a worker learns durations only from operations that clients read.
    if (isTerminal(operation.state)) service.estimate.readEnded(operation);
    else fields["retry-after"] = retryAfter(service, operation);
    addSuccessorLink(fields, service, operation);
    const full = reply(
      format,
      { status: 200, kind: "operation", name, value: toVisible(operation, service.settings) },
      fields,
    );
    const tag = entityTag(full, service.runtime.hash);
    fields.etag = typeof tag === "string" ? tag : await tag;
    return matches(header(request.headers, "if-none-match"), fields.etag) ? notModified(full) : full;
  });
}

/**
 * Returns the operation that a request to the status endpoint names, if it belongs to this tenant.
 *
 * Throws `NOT_FOUND`.
 */
export async function findOperation(
  service: Service,
  request: HttpRequest,
  tenant: string,
): Promise<Operation> {
  const path = pathOf(request);
  const id = path.slice(path.lastIndexOf("/") + 1);
  // Malformed ids never reach a store.
  const operation = isOperationId(id)
    ? await storeAnswer(service, service.backend.operations.get(id, tenant))
    : undefined;
  if (operation === undefined || operation.state === "preparing") throw notFound();
  return operation;
}

/** Returns `Retry-After` of a pending operation. Seconds. */
export function retryAfter({ estimate, runtime }: Service, operation: Operation): string {
  return String(estimate.pending(operation, runtime.clock.now()));
}
