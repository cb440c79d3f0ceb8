import type { IncomingMessage, ServerResponse } from "node:http";
import { checkService } from "../../http/check-service.js";
import type { Mountable } from "../../http/context.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "./read-request.js";
import { respond } from "./respond.js";

/** What `http.createServer` takes. Answers every request and throws for none. */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Mounts a service on `http.createServer`, or on anything with its call shape. Translates only: every status is chosen by
 * the service. Mount it before anything that reads the body.
 *
 * With `fallthrough`, requests for other paths go to `next` if the caller passes one, as Connect and its kind do.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function toNodeHandler(service: Mountable, options: MountOptions = {}): NodeHandler {
  checkService(service, "toNodeHandler", "handle", "settings");
  const isOurs = createPathFilter(service, options);
  return (req, res, next) => {
    const request = toHttpRequest(req);
    if (next !== undefined && !isOurs(request.path)) {
      next();
      return;
    }
    respond(service, request, req, res);
  };
}
