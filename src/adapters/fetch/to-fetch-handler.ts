import { checkService } from "../../http/check-service.js";
import type { Service } from "../../http/context.js";
import type { RequestContext } from "../../http/message/message.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "./read-request.js";
import { toResponse } from "./write-response.js";

/**
 * A handler for `fetch` of Bun, Deno, Workers and whatever else speaks the Fetch API. The second argument may be what the
 * platform passes: a `waitUntil` in it is used, anything else ignored.
 */
export type FetchHandler = (request: Request, context?: object) => Promise<Response>;

/** A {@link FetchHandler} that resolves to `undefined` if the path is not the service's. */
export type FallthroughFetchHandler = (request: Request, context?: object) => Promise<Response | undefined>;

/** What of a service the Fetch adapter needs; `hasPath` only for `fallthrough`. */
export type FetchMountable = Pick<Service, "handle"> & Partial<Pick<Service, "hasPath">>;

/**
 * Mounts a service where requests are `Request` objects. Translates only: every status is chosen by the service. The body
 * is read as a stream, up to the service's bound and no longer than the client stays; it must not have been read before.
 *
 * With `fallthrough: true` the handler resolves to `undefined` for paths that are not the service's.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function toFetchHandler(
  service: FetchMountable,
  options: MountOptions & { readonly fallthrough: true },
): FallthroughFetchHandler;
export function toFetchHandler(
  service: FetchMountable,
  options?: MountOptions & { readonly fallthrough?: false },
): FetchHandler;
export function toFetchHandler(service: FetchMountable, options: MountOptions = {}): FallthroughFetchHandler {
  checkService(service, "toFetchHandler", "handle");
  const isOurs = createPathFilter(service, options);
  return async (request, context) => {
    const { request: plain, release } = toHttpRequest(request);
    if (!isOurs(plain.path)) return undefined;
    const reply = await service.handle(plain, toRequestContext(request, context));
    release();
    return toResponse(reply);
  };
}

/** The signal is read on first use: platforms create it then. */
function toRequestContext(request: Request, platform: object = {}): RequestContext {
  const { waitUntil } = platform as RequestContext;
  return {
    get signal() {
      return request.signal;
    },
    // Called on its own object, without which Workers refuse it.
    ...(typeof waitUntil === "function" && {
      waitUntil: (work: Promise<unknown>) => waitUntil.call(platform, work),
    }),
  };
}
