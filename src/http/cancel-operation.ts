import { AsyncReplyError } from "../core/errors.js";
import { isTerminal, type Operation } from "../core/operation.js";
import { replyFormat } from "../formats/accept.js";
import { admitRequest } from "./admission.js";
import { answer } from "./answer.js";
import type { Service } from "./context.js";
import { findOperation, notFound, retryAfter } from "./get-operation.js";
import { header } from "./headers.js";
import type { HttpRequest, HttpResponse } from "./message.js";
import { type Fields, reply } from "./reply.js";
import { toVisible } from "./represent.js";
import { storeAnswer } from "./store-answer.js";

/**
 * Asks to cancel an operation of a definition that allows it. 200 when it has ended, cancelled or not; 202 when somebody
 * works on it and will be told. May be repeated. Never rejects.
 */
export function cancelOperation(request: HttpRequest, service: Service): Promise<HttpResponse> {
  return answer(service, request, async () => {
    const { scope } = await admitRequest(service, request, { action: "cancel" });
    const format = replyFormat(header(request.headers, "accept"), service.formats);
    const { operations } = service.backend;
    const found = await findOperation(service, request, scope);
    checkCancellable(service, found);
    const outcome = await storeAnswer(service, operations.requestCancel(found.id, scope));
    const operation = await storeAnswer(service, operations.get(found.id, scope));
    if (outcome === "unknown" || operation === undefined) throw notFound();
    const fields: Fields = { "cache-control": "no-store" };
    const ended = isTerminal(operation.state);
    if (!ended) fields["retry-after"] = retryAfter(service, operation);
    const shown = { kind: "operation", name: operation.definition, value: toVisible(operation) } as const;
    return reply(format, { status: ended ? 200 : 202, ...shown }, fields);
  });
}

function checkCancellable({ operations }: Service, { definition }: Operation): void {
  if (operations.some(({ name, cancellable }) => name === definition && cancellable)) return;
  throw new AsyncReplyError("METHOD_NOT_ALLOWED", "This operation cannot be cancelled.", {
    headers: { allow: "GET, HEAD, OPTIONS" },
  });
}
