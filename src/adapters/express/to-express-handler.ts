import type { ServerResponse } from "node:http";
import { checkService } from "../../http/check-service.js";
import type { Mountable } from "../../http/context.js";
import type { HttpRequest } from "../../http/message/message.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "../node/read-request.js";
import { respond } from "../node/respond.js";
import { checkMountPath } from "./check-mount-path.js";
import { type ExpressRequest, withKeptBytes } from "./read-request.js";

/** Middleware of Express. Calls `next` with an error for mistakes of the application, and without one to fall through. */
export type ExpressHandler = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Mounts a service on Express 4 or 5. Translates only: every status is chosen by the service. Without options every request
 * that reaches the handler is answered: mount it on the service's own paths, `app.use(["/orders", "/operations"], handler)`,
 * or pass `fallthrough: true` to leave other paths to the application.
 *
 * If you mount it under a path, such as `/api`, pass that path as `basePath` to `createService`. Otherwise `next` gets an
 * AsyncReplyError `INVALID_OPTION` that says so.
 *
 * Mount it before body parsers: `next` gets an AsyncReplyError `BODY_ALREADY_READ` when one has kept no bytes.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function toExpressHandler(service: Mountable, options: MountOptions = {}): ExpressHandler {
  checkService(service, "toExpressHandler", "handle", "settings");
  const isOurs = createPathFilter(service, options);
  return (req, res, next) => {
    const plain = toHttpRequest(req, req.originalUrl);
    let request: HttpRequest | undefined;
    try {
      checkMountPath(service, req, plain.path);
      request = isOurs(plain.path) ? withKeptBytes(plain, req) : undefined;
    } catch (error) {
      // A mistake of the application, not of the client: it belongs where Express reports errors.
      next(error);
      return;
    }
    if (request === undefined) {
      next();
      return;
    }
    respond(service, request, req, res);
  };
}
