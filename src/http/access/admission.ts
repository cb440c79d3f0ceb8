import { AsyncReplyError } from "../../contract/errors.js";
import { adoptPromise } from "../../contract/promises.js";
import type { Authorization } from "../../ports/authorize.js";
import { withinTime } from "../../protocol/within-time.js";
import type { Service } from "../context.js";
import { refuseManyFields } from "../message/headers.js";
import type { HttpRequest } from "../message/message.js";
import type { Refusal } from "../settings.js";
import { authorizeRequest, type TenantPrincipal, toAuthorizationRequest } from "./authorization.js";

/**
 * Who makes the request, if they may make it now: authorized first (spec §5), then admitted. Both before a byte of the
 * body is read.
 *
 * @throws AsyncReplyError `TOO_MANY_HEADER_FIELDS`, as `authorizeRequest`, and `TOO_MANY_REQUESTS` or `OVERLOADED` when it is not admitted
 */
export async function admitRequest(
  service: Service,
  request: HttpRequest,
  authorization: Authorization,
): Promise<TenantPrincipal> {
  const { admit, authorizeTimeoutMs } = service.settings;
  refuseManyFields(request);
  const principal = await authorizeRequest(request, authorization, service);
  if (admit === undefined) return principal;
  const answer = adoptPromise(admit(toAuthorizationRequest(request), principal, authorization));
  const refusal =
    answer instanceof Promise
      ? await withinTime(answer, authorizeTimeoutMs, service.runtime.clock, tookTooLong)
      : answer;
  // Nothing admits, whichever way it is written.
  if (refusal === undefined || refusal === null) return principal;
  throw refused(refusal);
}

function refused({ status, retryAfterSeconds }: Refusal): AsyncReplyError {
  if (status !== 429 && status !== 503)
    return new AsyncReplyError(
      "INTERNAL",
      "`admit` must return nothing, or `{ status, retryAfterSeconds }` with status 429 or 503.",
    );
  const code = status === 429 ? "TOO_MANY_REQUESTS" : "OVERLOADED";
  return new AsyncReplyError(code, "Too many requests were made. Try again later.", { retryAfterSeconds });
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError("OVERLOADED", "The request could not be admitted in time.");
}
