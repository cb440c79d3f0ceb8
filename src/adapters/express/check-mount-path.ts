import { AsyncReplyError } from "../../contract/errors.js";
import { SHARED } from "../../protocol/shared.js";
import type { Mountable } from "../../service/service.js";
import type { ExpressRequest } from "./read-request.js";

/**
 * Detects a handler that is mounted under a path the service does not know. In that case no service path is below the
 * mount path, but the rest of the URL is a service path.
 *
 * Throws `INVALID_OPTION`.
 */
export function checkMountPath(
  service: Mountable,
  { baseUrl = "", url = "" }: ExpressRequest,
  path: string,
): void {
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
