import { AsyncReplyError, isAsyncReplyError, unauthenticated } from "../../contract/errors.js";
import { adoptPromise } from "../../contract/promises.js";
import { TENANT_RULE, tenantProblem } from "../../contract/tenant.js";
import type { Authorization, AuthorizationRequest, Principal } from "../../ports/authorize.js";
import { withinTime } from "../../protocol/within-time.js";
import type { Service } from "../context.js";
import { header, singleHeader } from "../message/headers.js";
import type { HttpRequest } from "../message/message.js";

/** A principal whose tenant is known. */
export interface TenantPrincipal extends Principal {
  readonly tenant: string;
}

/**
 * Asks the authorize hook (spec §5). Only a principal allows. Only the hook can refuse: an error that does not say so is an
 * outage, and tells nothing about the credentials (ADR 0042).
 *
 * @throws AsyncReplyError `UNAUTHENTICATED`, `FORBIDDEN`, `AUTHORIZATION_UNAVAILABLE`, `INVALID_HEADER`
 */
export async function authorizeRequest(
  request: HttpRequest,
  authorization: Authorization,
  { settings, runtime }: Service,
): Promise<TenantPrincipal> {
  const { authorize, authorizeTimeoutMs } = settings;
  singleHeader(request.headers, "authorization");
  try {
    const answer = adoptPromise(authorize(toAuthorizationRequest(request), authorization));
    const tookTooLong = (): AsyncReplyError =>
      unavailable(`\`authorize\` did not answer within ${authorizeTimeoutMs} ms.`);
    const principal =
      answer instanceof Promise
        ? await withinTime(answer, authorizeTimeoutMs, runtime.clock, tookTooLong)
        : answer;
    return withTenant(principal);
  } catch (error) {
    throw denial(error, authorize.challenge ?? "Bearer");
  }
}

/** The view of a request that hooks get. */
export function toAuthorizationRequest({ method, path, headers }: HttpRequest): AuthorizationRequest {
  return { method, path, header: (name) => header(headers, name.toLowerCase()) };
}

function withTenant(principal: Principal | undefined | null): TenantPrincipal {
  if (principal === undefined || principal === null) throw unauthenticated();
  const { id, tenant = id } = principal;
  if (typeof id !== "string" || id === "")
    throw unavailable("`authorize` returned no principal with an `id` of at least 1 character.");
  const problem = tenantProblem(tenant);
  if (problem === undefined) return { id, tenant };
  throw unavailable(
    `\`authorize\` returned a \`tenant\`, by default the \`id\`, that ${problem}. ${TENANT_RULE}`,
  );
}

function denial(error: unknown, challenge: string): AsyncReplyError {
  const { code, detail = "" } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code === "UNAUTHENTICATED") {
    const headers = { "www-authenticate": challenge };
    return new AsyncReplyError(code, detail, { cause: error, headers });
  }
  if (code === "FORBIDDEN" || code === "AUTHORIZATION_UNAVAILABLE") return error as AsyncReplyError;
  return unavailable("`authorize` threw an error that is not a refusal.", error);
}

/** The request is denied, but the client should keep its credentials and repeat the request. */
function unavailable(problem: string, cause?: unknown): AsyncReplyError {
  const detail = "The request could not be authorized now. Try again later.";
  const help =
    "To refuse credentials, throw unauthenticated() or return undefined. To deny access, throw forbidden().";
  const eventDetail = `${problem} ${help}`;
  return new AsyncReplyError("AUTHORIZATION_UNAVAILABLE", detail, { cause, eventDetail });
}
