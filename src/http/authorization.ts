import { AsyncReplyError, isAsyncReplyError, unauthenticated } from "../core/errors.js";
import type { Authorization, AuthorizationRequest, Principal } from "../ports/authorize.js";
import { withinTime } from "../steps/within-time.js";
import type { Service } from "./context.js";
import { header, singleHeader } from "./headers.js";
import type { HttpRequest } from "./message.js";

/** A principal whose scope is known. */
export interface ScopedPrincipal extends Principal {
  readonly scope: string;
}

/**
 * Asks the authorize hook (spec §5). Whatever does not clearly allow denies: throwing, hanging, returning nothing or a
 * principal without an id.
 *
 * @throws AsyncReplyError `UNAUTHENTICATED`, `FORBIDDEN`, `AUTHORIZATION_TIMEOUT`, `INVALID_HEADER`
 */
export async function authorizeRequest(
  request: HttpRequest,
  authorization: Authorization,
  { settings, runtime }: Service,
): Promise<ScopedPrincipal> {
  const { authorize, authorizeTimeoutMs } = settings;
  singleHeader(request.headers, "authorization");
  try {
    const answer = authorize(toAuthorizationRequest(request), authorization);
    const principal =
      answer instanceof Promise
        ? await withinTime(answer, authorizeTimeoutMs, runtime.clock, tookTooLong)
        : answer;
    return scoped(principal);
  } catch (error) {
    throw denial(error, authorize.challenge ?? "Bearer");
  }
}

/** The view of a request that hooks get. */
export function toAuthorizationRequest({ method, path, headers }: HttpRequest): AuthorizationRequest {
  return { method, path, header: (name) => header(headers, name.toLowerCase()) };
}

function scoped(principal: Principal | undefined | null): ScopedPrincipal {
  const { id, scope = id } = principal ?? ({} as Partial<Principal>);
  if (typeof id !== "string" || id === "" || typeof scope !== "string" || scope === "")
    throw unauthenticated();
  return { id, scope };
}

function denial(error: unknown, challenge: string): AsyncReplyError {
  const known = isAsyncReplyError(error) ? error : unauthenticated();
  if (known.code === "FORBIDDEN" || known.code === "AUTHORIZATION_TIMEOUT") return known;
  const detail = known.code === "UNAUTHENTICATED" ? known.detail : unauthenticated().detail;
  return new AsyncReplyError("UNAUTHENTICATED", detail, {
    cause: error,
    headers: { "www-authenticate": challenge },
  });
}

function tookTooLong(): AsyncReplyError {
  return new AsyncReplyError(
    "AUTHORIZATION_TIMEOUT",
    "The request could not be authorized in time. Try again later.",
  );
}
