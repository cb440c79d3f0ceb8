import { admitRequest } from "../access/admit-request.js";
import type { ServiceContext } from "../context.js";
import { joined, readFields } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { EVENT_STREAM, prefersEvents, replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { streamOperation } from "../streaming/stream-operation.js";
import { findOperation, operationIdOf, present, unlessMatched } from "./status-monitor.js";
import { beginWait, replyToChange } from "./wait.js";

const READ = { action: "read", params: NO_PARAMS } as const;

/** Replies with the status of an operation: see `getOperation` of the service. */
export async function getOperation(
  request: HttpRequest,
  service: ServiceContext,
  context: RequestContext,
): Promise<HttpResponse> {
  const fields = readFields(request);
  const admitted = admitRequest(service, request, READ, fields);
  const { tenant } = admitted instanceof Promise ? await admitted : admitted;
  const accept = joined(fields.accept);
  const canStream = service.settings.maxStreamMs > 0;
  if (canStream && prefersEvents(accept, service.formats))
    return streamOperation(service, request, { id: operationIdOf(request), tenant, context });
  const format = replyFormat(accept, service.formats, canStream ? [EVENT_STREAM] : []);
  const ifNoneMatch = joined(fields["if-none-match"]);
  const id = operationIdOf(request);
  const prefer = request.method === "HEAD" ? undefined : joined(fields.prefer);
  const wait = prefer === undefined ? undefined : beginWait(service, prefer, { id, tenant, context });
  try {
    const found = await findOperation(service, id, tenant);
    if (wait === undefined) {
      const shown = present(service, found, format);
      return unlessMatched(shown instanceof Promise ? await shown : shown, ifNoneMatch);
    }
    return await replyToChange(service, wait, found, { format, ifNoneMatch });
  } finally {
    wait?.subscription.close();
  }
}
