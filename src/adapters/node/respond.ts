import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRequest } from "../../http/message/message.js";
import type { Mountable } from "../../service/service.js";
import { createRequestContext } from "./request-context.js";
import { writeResponse } from "./write-response.js";

/** Writes the reply of a service to a request. Never throws. */
export function respond(
  service: Mountable,
  request: HttpRequest,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  service
    .handle(request, createRequestContext(res))
    .then((response) => writeResponse(req, res, response, service))
    // Neither rejects for a valid reply. An invalid one must not crash the process.
    .catch(() => res.destroy());
}
