import type { RequestContext } from "../../http/message/message.js";
import { checkService } from "../../service/check-service.js";
import type { Service } from "../../service/service.js";
import { createPathFilter, type MountOptions } from "../mount-options.js";
import { toHttpRequest } from "./read-request.js";
import { toResponse } from "./write-response.js";

/**
 * Handler for Bun, Deno, Workers and other platforms with the Fetch API. Pass the platform's second argument as
 * `context`: the handler uses its `waitUntil`, or its `timeout(request, seconds)`. Everything else in it is ignored.
 */
export type FetchHandler = (request: Request, context?: object) => Promise<Response>;

/** A {@link FetchHandler} that resolves to `undefined` for paths that are not the service's. */
export type FallthroughFetchHandler = (request: Request, context?: object) => Promise<Response | undefined>;

/** Parts of a service that the Fetch adapter uses. `hasPath` is only used with `fallthrough`. */
export type FetchMountable = Pick<Service, "handle"> & Partial<Pick<Service, "hasPath">>;

/**
 * Mounts a service on platforms that pass a `Request` and expect a `Response`. The adapter only translates: the
 * service chooses every status.
 *
 * The body must not have been read before. It is read as a stream, up to the service's `maxBodyBytes`, until the
 * client disconnects.
 *
 * With `fallthrough: true`, the handler resolves to `undefined` for paths that are not the service's.
 *
 * Throws `INVALID_OPTION` if `service` is not a service or an option is wrong.
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
    liftIdleLimit(request, context);
    const reply = await service.handle(plain, new FetchRequestContext(request, context));
    release();
    return toResponse(reply);
  };
}

/** Bun closes a connection on which nothing is sent for 10 s. A request that waits or gets a stream takes longer. */
function liftIdleLimit(request: Request, platform: object = {}): void {
  const { timeout } = platform as { readonly timeout?: unknown };
  if (typeof timeout === "function" && mayTakeLong(request)) timeout.call(platform, request, 0);
}

function mayTakeLong({ headers }: Request): boolean {
  return headers.has("prefer") || headers.get("accept")?.includes("text/event-stream") === true;
}

/**
 * Reads the signal on first use, because platforms create it then. It is a class because V8 keeps an object literal
 * with an accessor, and with it the request, until the next full collection.
 */
class FetchRequestContext implements RequestContext {
  readonly #request: Request;
  readonly waitUntil?: (work: Promise<unknown>) => void;

  constructor(request: Request, platform: object = {}) {
    this.#request = request;
    const { waitUntil } = platform as RequestContext;
    // Workers only accept `waitUntil` as a method call on the object that has it.
    if (typeof waitUntil === "function") this.waitUntil = (work) => waitUntil.call(platform, work);
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}
