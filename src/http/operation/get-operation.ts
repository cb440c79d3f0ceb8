import { admitRequest } from "../access/admit-request.js";
import { answer } from "../answer.js";
import { checkService } from "../check-service.js";
import type { Service } from "../context.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { EVENT_STREAM, prefersEvents, replyFormat } from "../negotiation/reply-format.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { streamOperation } from "../streaming/stream-operation.js";
import { untilNews } from "../waiting/until-news.js";
import { beginWait, withPreference } from "../waiting/wait.js";
import { findOperation, operationIdOf } from "./find-operation.js";
import { present, unlessMatched } from "./present.js";

/**
 * Replies with the status of an operation: 200 while it is pending and after it has ended (spec §4.2). The reply for
 * an operation of another tenant is the same 404 as for an unknown one. With `Prefer: wait`, a `GET` waits until the
 * operation ends, or until it changes if the request has `If-None-Match`. With `Accept: text/event-stream`, the reply is a
 * stream of the states of the operation. Never rejects.
 *
 * Throws `INVALID_OPTION` if `service` is not a service.
 *
 * @param context If it has a `signal`, a wait or a stream ends when the client disconnects.
 */
export function getOperation(
  request: HttpRequest,
  service: Service,
  context: RequestContext = {},
): Promise<HttpResponse> {
  checkService(service, "getOperation", "settings");
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
      const news = await untilNews(service, wait.subscription, found, { format, ifNoneMatch });
      return withPreference(unlessMatched(news, ifNoneMatch), wait);
    } finally {
      wait?.subscription.close();
    }
  });
}
