import { admitRequest } from "../access/admit-request.js";
import { answer } from "../answer.js";
import type { ServiceContext } from "../context.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { EVENT_STREAM, prefersEvents, replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { streamOperation } from "../streaming/stream-operation.js";
import { findOperation, operationIdOf } from "./find-operation.js";
import { present, unlessMatched } from "./present.js";
import { beginWait, replyToNews } from "./wait.js";

/** Replies with the status of an operation: see `getOperation`. */
export function handleGet(
  request: HttpRequest,
  service: ServiceContext,
  context: RequestContext,
): Promise<HttpResponse> {
  return answer(service, request, "operation", async () => {
    const { tenant } = await admitRequest(service, request, { action: "read", params: NO_PARAMS });
    const accept = header(request.headers, "accept");
    const canStream = service.settings.maxStreamMs > 0;
    if (canStream && prefersEvents(accept, service.formats))
      return streamOperation(service, request, { id: operationIdOf(request), tenant, context });
    const format = replyFormat(accept, service.formats, canStream ? [EVENT_STREAM] : []);
    const ifNoneMatch = header(request.headers, "if-none-match");
    const id = operationIdOf(request);
    const wait = request.method === "HEAD" ? undefined : beginWait(service, request, { id, tenant, context });
    try {
      const found = await findOperation(service, id, tenant);
      if (wait === undefined) return unlessMatched(await present(service, found, format), ifNoneMatch);
      return await replyToNews(service, wait, found, { format, ifNoneMatch });
    } finally {
      wait?.subscription.close();
    }
  });
}
