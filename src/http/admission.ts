import { AsyncReplyError } from "../core/errors.js";
import type { Authorization } from "../ports/authorize.js";
import { withinTime } from "../steps/within-time.js";
import { authorizeRequest, type ScopedPrincipal, toAuthorizationRequest } from "./authorization.js";
import type { Service } from "./context.js";
import type { HttpRequest } from "./message.js";

/**
 * Who makes the request, if they may make it now: authorized first (spec §5), then admitted. Both before a byte of the
 * body is read.
 *
 * @throws AsyncReplyError as `authorizeRequest`, and `TOO_MANY_REQUESTS` or `OVERLOADED` when it is not admitted
 */
export async function admitRequest(
  service: Service,
  request: HttpRequest,
  authorization: Authorization,
): Promise<ScopedPrincipal> {
  const { admit, authorizeTimeoutMs } = service.settings;
  const principal = await authorizeRequest(request, authorization, service);
  if (admit === undefined) return principal;
  const answer = admit(toAuthorizationRequest(request), principal, authorization);
  const refusal = await withinTime(
    Promise.resolve(answer),
    authorizeTimeoutMs,
    service.runtime.clock,
    tookTooLong,
  );
  if (refusal === undefined) return principal;
  const { status, retryAfterSeconds } = refusal;
  const code = status === 429 ? "TOO_MANY_REQUESTS" : "OVERLOADED";
  throw new AsyncReplyError(code, "Too many requests were made. Try again later.", { retryAfterSeconds });
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("OVERLOADED", "The request could not be admitted in time.");
}
