import { AsyncReplyError } from "../../contract/errors.js";
import type { Mountable } from "../../http/context.js";
import type { ExpressRequest } from "./read-request.js";

/**
 * Notices a handler that is mounted under a path that the service does not know of: no path of the service is below it, and
 * without it the request would be for one.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkMountPath(
  service: Mountable,
  { baseUrl = "", url = "" }: ExpressRequest,
  path: string,
): void {
  const { hasPath, settings } = service;
  if (baseUrl === "" || hasPath === undefined || hasPath(path)) return;
  if (isAboveServicePath(service, baseUrl) || !hasPath(settings.basePath + url)) return;
  throw new AsyncReplyError(
    "INVALID_OPTION",
    `toExpressHandler is mounted under "${baseUrl}", but \`basePath\` of the service is "${settings.basePath}". ` +
      `Pass \`basePath: "${baseUrl}${settings.basePath}"\` to createService, so that its paths and Location are right.`,
  );
}

function isAboveServicePath({ settings, definitions = [] }: Mountable, mount: string): boolean {
  const { basePath, statusPath } = settings;
  return [statusPath, ...definitions.map(({ path }) => path)].some((path) =>
    `${basePath}${path}/`.toLowerCase().startsWith(`${mount}/`.toLowerCase()),
  );
}
