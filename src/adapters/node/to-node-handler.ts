import type { IncomingMessage, ServerResponse } from "node:http";
import { checkService } from "../../service/check-service.js";
import type { Mountable } from "../../service/service.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "./read-request.js";
import { respond } from "./respond.js";

/** Handler for `http.createServer`. Never throws. */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Mounts a service on `http.createServer`, or on anything that calls its handlers the same way. The adapter only
 * translates: the service chooses every status. Mount it before anything that reads the body, unless that keeps the bytes
 * in `req.rawBody`, as Google's functions-framework does.
 *
 * With `fallthrough: true`, requests for other paths go to `next` if the caller passes one, as Connect does.
 *
 * Throws `INVALID_OPTION` if `service` is not a service or an option is wrong.
 */
export function toNodeHandler(service: Mountable, options: MountOptions = {}): NodeHandler {
  checkService(service, "toNodeHandler", "handle");
  const isOurs = createPathFilter(service, options);
  return (req, res, next) => {
    const request = toHttpRequest(req);
    if (next !== undefined && !isOurs(request.path)) {
      next();
      return;
    }
    void respond(service, request, req, res);
  };
}
