import { AsyncReplyError } from "../core/errors.js";
import { isOperationId, isTerminal, type Operation } from "../core/operation.js";
import { replyFormat } from "../formats/accept.js";
import { admitRequest } from "./admission.js";
import { answer } from "./answer.js";
import type { Service } from "./context.js";
import { entityTag, matches } from "./entity-tag.js";
import { header } from "./headers.js";
import type { HttpRequest, HttpResponse } from "./message.js";
import { type Fields, notModified, reply } from "./reply.js";
import { toVisible } from "./represent.js";
import { pathOf } from "./request-path.js";
import { storeAnswer } from "./store-answer.js";

/**
 * Reads the status of an operation (spec §4.2): 200 while it is pending and after. Never rejects. Another scope's
 * operation is answered exactly as an unknown one.
 */
export function getOperation(request: HttpRequest, service: Service): Promise<HttpResponse> {
  return answer(service, request, async () => {
    const { scope } = await admitRequest(service, request, { action: "read" });
    const format = replyFormat(header(request.headers, "accept"), service.formats);
    const operation = await findOperation(service, request, scope);
    learn(service, operation);
    const { definition: name } = operation;
    const fields: Fields = { "cache-control": "private, no-cache" };
    if (!isTerminal(operation.state)) fields["retry-after"] = retryAfter(service, operation);
    const full = reply(format, { status: 200, kind: "operation", name, value: toVisible(operation) }, fields);
    const tag = entityTag(full, service.runtime.hash);
    fields.etag = typeof tag === "string" ? tag : await tag;
    return matches(header(request.headers, "if-none-match"), fields.etag) ? notModified(full) : full;
  });
}

/**
 * The operation that a request to the status endpoint names, if this scope may see it.
 *
 * @throws AsyncReplyError `NOT_FOUND`
 */
export async function findOperation(
  service: Service,
  request: HttpRequest,
  scope: string,
): Promise<Operation> {
  const path = pathOf(request);
  const id = path.slice(path.lastIndexOf("/") + 1);
  // Ids are checked before any store sees them.
  const operation = isOperationId(id)
    ? await storeAnswer(service, service.backend.operations.get(id, scope))
    : undefined;
  if (operation === undefined || operation.state === "preparing") throw notFound();
  return operation;
}

/** The error for whatever is not there, or not for this caller. */
export function notFound(): AsyncReplyError {
  return new AsyncReplyError("NOT_FOUND", "There is no such resource.");
}

/** A process without a worker learns how long operations take from those that it sees ended. */
function learn({ estimate }: Service, { definition, createdAt, settledAt }: Operation): void {
  if (settledAt !== undefined) estimate.learn(definition, settledAt - createdAt);
}

/** When to look at a pending operation again. */
export function retryAfter({ estimate, runtime }: Service, { definition, createdAt }: Operation): string {
  return String(estimate.seconds(definition, Math.max(0, runtime.clock.now() - createdAt)));
}
