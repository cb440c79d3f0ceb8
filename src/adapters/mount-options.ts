import { invalidOption, misuse } from "../contract/options.js";
import type { Mountable } from "../service/service.js";

/** Options of all adapters. */
export interface MountOptions {
  /**
   * Leaves requests for paths that are not the service's to the application. A path of the service with an unsupported
   * method still gets 405. Default: false, which answers other paths with 404.
   */
  readonly fallthrough?: boolean;
}

/**
 * Returns a function that tells whether the service answers requests for a path.
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
    throw misuse(
      "Option `fallthrough` needs a service that has `hasPath`. Pass a service from createService, or leave the option out.",
    );
  return (path) => service.hasPath?.(path) === true;
}
