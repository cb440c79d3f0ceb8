import type { ServerResponse } from "node:http";
import type { HttpRequest } from "../../http/message/message.js";
import { checkService } from "../../service/check-service.js";
import type { Mountable } from "../../service/service.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "../node/read-request.js";
import { respond } from "../node/respond.js";
import { checkMountPath } from "./check-mount-path.js";
import { type ExpressRequest, withKeptBytes } from "./read-request.js";

/** Express middleware. Calls `next(error)` for mistakes of the application, and `next()` to pass a request on. */
export type ExpressHandler = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Mounts a service on Express 4 or 5. The adapter only translates: the service chooses every status.
 *
 * By default, the handler answers every request that reaches it. Mount it on the service's own paths, as in
 * `app.use(["/orders", "/operations"], handler)`, or pass `fallthrough: true` to leave other paths to the application.
 *
 * If you mount it under a path such as `/api`, pass that path as `basePath` to `createService`. Otherwise `next`
 * receives an `AsyncReplyError` with the code `INVALID_OPTION`.
 *
 * Mount it before body parsers. If a parser has run and kept no bytes, `next` receives an error with the code
 * `BODY_ALREADY_READ`.
 *
 * Throws `INVALID_OPTION` if `service` is not a service or an option is wrong.
 */
export function toExpressHandler(service: Mountable, options: MountOptions = {}): ExpressHandler {
  checkService(service, "toExpressHandler", "handle");
  const isOurs = createPathFilter(service, options);
  return (req, res, next) => {
    const plain = toHttpRequest(req, req.originalUrl);
    let request: HttpRequest | undefined;
    try {
      checkMountPath(service, req, plain.path);
      request = isOurs(plain.path) ? withKeptBytes(plain, req) : undefined;
    } catch (error) {
      // The application made this mistake, not the client, so it goes where Express reports errors.
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
