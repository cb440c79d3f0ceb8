import { invalidOption } from "../contract/options.js";
import type { Mountable } from "../http/context.js";

/** What adapters take besides the service. */
export interface MountOptions {
  /**
   * Whether requests for other paths than the service's are left to the application. A path of the service with a method
   * that it does not have is still a 405. Default: false, such requests are a 404.
   */
  readonly fallthrough?: boolean;
}

/**
 * Returns whether the service answers a request for this path.
 *
 * Throws `INVALID_OPTION`.
 */
export function createPathFilter(
  service: Pick<Mountable, "hasPath">,
  { fallthrough = false }: MountOptions,
): (path: string) => boolean {
  if (typeof fallthrough !== "boolean") throw invalidOption("fallthrough", "a boolean", fallthrough);
  if (!fallthrough) return () => true;
  if (typeof service.hasPath !== "function")
    throw invalidOption("fallthrough", "left out for a service without `hasPath`", fallthrough);
  return (path) => service.hasPath?.(path) === true;
}
