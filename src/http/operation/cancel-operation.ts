import { AsyncReplyError } from "../../contract/errors.js";
import { isTerminal, type Operation } from "../../contract/operation.js";
import { callsOf, cancelOperation as cancel } from "../../operations/cancel.js";
import { admitRequest } from "../access/admit-request.js";
import type { ServiceContext } from "../context.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { type Fields, reply } from "../message/reply.js";
import { replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { findOperation, operationIdOf, retryAfter, shown } from "./status-monitor.js";

/** Cancels an operation: see `cancelOperation` of the service. */
export async function cancelOperation(request: HttpRequest, service: ServiceContext): Promise<HttpResponse> {
  const { tenant } = await admitRequest(service, request, { action: "cancel", params: NO_PARAMS });
  const format = replyFormat(header(request.headers, "accept"), service.formats);
  const found = await findOperation(service, operationIdOf(request), tenant);
  checkCancellable(service, found);
  const { outcome, operation } = await cancel(callsOf(service), found, service);
  if (outcome === "unknown" || operation === undefined) throw notFound();
  const fields: Fields = { "cache-control": "no-store" };
  const ended = isTerminal(operation.state);
  if (!ended) fields["retry-after"] = retryAfter(service, operation);
  const status = ended ? 200 : 202;
  const { definition: name } = operation;
  return reply(format, { status, kind: "operation", name, value: shown(service, operation) }, fields);
}

function checkCancellable({ definitions }: ServiceContext, { definition }: Operation): void {
  if (definitions.some(({ name, cancellable }) => name === definition && cancellable)) return;
  throw new AsyncReplyError("METHOD_NOT_ALLOWED", "This operation cannot be cancelled.", {
    headers: { allow: "GET, HEAD, OPTIONS" },
  });
}
