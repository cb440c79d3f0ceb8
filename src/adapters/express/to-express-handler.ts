import type { ServerResponse } from "node:http";
import type { Service } from "../../http/context.js";
import type { HttpRequest } from "../../http/message.js";
import { writeResponse } from "../node/write-response.js";
import { type ExpressRequest, fromExpress } from "./read-request.js";

export type { ExpressRequest } from "./read-request.js";

/** Middleware of Express: answers what comes to it, and calls `next` with an error only. */
export type ExpressHandler = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Mounts a service on Express 4 or 5. Translates only: every status is chosen by the service, and whatever comes to the
 * handler is answered. Mount it on the service's own paths, `app.use(["/orders", "/operations"], handler)`, and the others
 * are the application's. A path that it is mounted under is the service's `basePath`.
 *
 * Mount it before body parsers: `next` gets an AsyncReplyError `BODY_ALREADY_READ` when one has kept no bytes.
 */
export function toExpressHandler(service: Pick<Service, "handle" | "settings">): ExpressHandler {
  const { maxBodyBytes } = service.settings;
  return (req, res, next) => {
    let request: HttpRequest;
    try {
      request = fromExpress(req);
    } catch (error) {
      // A mistake of the application, not of the client: it belongs where Express reports errors.
      next(error);
      return;
    }
    service
      .handle(request)
      .then((response) => writeResponse(req, res, response, maxBodyBytes))
      // Neither throws for a reply; what is none must not end the process.
      .catch(() => res.destroy());
  };
}
