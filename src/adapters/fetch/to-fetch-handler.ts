import type { Service } from "../../http/context.js";
import type { RequestContext } from "../../http/message.js";
import { toHttpRequest } from "./read-request.js";
import { toResponse } from "./write-response.js";

/**
 * A handler for `fetch` of Bun, Deno, Workers and whatever else speaks the Fetch API. The second argument may be what the
 * platform passes: a `waitUntil` in it is used, anything else ignored.
 */
export type FetchHandler = (request: Request, context?: object) => Promise<Response>;

/**
 * Mounts a service where requests are `Request` objects. Translates only: every status is chosen by the service. The body
 * is read as a stream, up to the service's bound and no longer than the client stays; it must not have been read before.
 */
export function toFetchHandler(service: Pick<Service, "handle">): FetchHandler {
  return async (request, context) => {
    const { request: plain, release } = toHttpRequest(request);
    const reply = await service.handle(plain, toRequestContext(context));
    release();
    return toResponse(reply);
  };
}

function toRequestContext(platform: object = {}): RequestContext | undefined {
  const { waitUntil } = platform as RequestContext;
  if (typeof waitUntil !== "function") return undefined;
  // Called on its own object, without which Workers refuse it.
  return { waitUntil: (work) => waitUntil.call(platform, work) };
}
