import type { ServerResponse } from "node:http";
import { AsyncReplyError } from "../../contract/errors.js";
import { SHARED } from "../../protocol/shared.js";
import { checkService } from "../../service/check-service.js";
import type { Mountable } from "../../service/service.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "../node/read-request.js";
import { respond } from "../node/respond.js";
import { checkBody, type ExpressRequest } from "./read-request.js";

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
    const request = toHttpRequest(req, req.originalUrl);
    let answers = false;
    try {
      checkMountPath(service, req, request.path);
      answers = isOurs(request.path);
      if (answers) checkBody(req);
    } catch (error) {
      // The application made this mistake, not the client, so it goes where Express reports errors.
      next(error);
      return;
    }
    if (!answers) {
      next();
      return;
    }
    void respond(service, request, req, res);
  };
}

/**
 * Detects a handler that is mounted under a path the service does not know. In that case no service path is below the
 * mount path, but the rest of the URL is a service path.
 *
 * Throws `INVALID_OPTION`.
 */
function checkMountPath(service: Mountable, { baseUrl = "", url = "" }: ExpressRequest, path: string): void {
  const { hasPath, [SHARED]: context } = service;
  if (baseUrl === "" || hasPath === undefined || hasPath(path)) return;
  const basePath = context?.settings.basePath ?? "";
  if (isAboveServicePath(service, baseUrl) || !hasPath(basePath + url)) return;
  throw new AsyncReplyError(
    "INVALID_OPTION",
    `toExpressHandler is mounted under "${baseUrl}", but \`basePath\` of the service is "${basePath}". ` +
      `Pass \`basePath: "${baseUrl}${basePath}"\` to createService, so that paths and Location headers are correct.`,
  );
}

function isAboveServicePath({ definitions = [], [SHARED]: context }: Mountable, mount: string): boolean {
  const { basePath = "", statusPath = "" } = context?.settings ?? {};
  return [statusPath, ...definitions.map(({ path }) => path)].some((path) =>
    `${basePath}${path}/`.toLowerCase().startsWith(`${mount}/`.toLowerCase()),
  );
}
