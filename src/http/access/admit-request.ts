import { AsyncReplyError, isAsyncReplyError, unauthenticated } from "../../contract/errors.js";
import { PRINCIPAL_RULE, TENANT_RULE, tenantProblem } from "../../contract/operation.js";
import { adoptPromise, type MaybePromise } from "../../contract/options.js";
import { withinTime } from "../../platform/waits.js";
import type { Authorization, AuthorizationRequest, Principal } from "../../ports/authorize.js";
import type { ServiceContext } from "../context.js";
import { header, type RequestFields, readFields, single } from "../message/headers.js";
import type { HttpRequest } from "../message/message.js";
import type { Admit, Refusal } from "../settings.js";
import { notConfigured } from "./no-authorize.js";

/**
 * Authorizes and admits a request, and returns its principal. Calls `authorize` first (spec §5), then `admit`. Both
 * decide before a byte of the body is read. Without a promise of a hook, it returns no promise.
 *
 * Throws `TOO_MANY_HEADER_FIELDS`, `INVALID_HEADER`; `NOT_CONFIGURED`, `UNAUTHENTICATED`, `FORBIDDEN`,
 * `AUTHORIZATION_UNAVAILABLE`; `TOO_MANY_REQUESTS` or `OVERLOADED` if `admit` refuses the request.
 */
export function admitRequest(
  service: ServiceContext,
  request: HttpRequest,
  authorization: Authorization,
  fields: RequestFields = readFields(request),
): Required<Principal> | Promise<Required<Principal>> {
  single(fields, "authorization");
  const seen = seenByHooks(request);
  const authorized = authorize(service, seen, authorization);
  const { admit } = service.settings;
  if (admit === undefined) return authorized;
  const admitted = (principal: Required<Principal>): Promise<Required<Principal>> =>
    admitPrincipal(service, admit(seen, principal, authorization), principal);
  return authorized instanceof Promise ? authorized.then(admitted) : admitted(authorized);
}

async function admitPrincipal(
  service: ServiceContext,
  answer: ReturnType<Admit>,
  principal: Required<Principal>,
): Promise<Required<Principal>> {
  const refusal = await inTime(service, answer, notAdmittedInTime);
  // JavaScript hooks may return null.
  if (refusal === undefined || refusal === null) return principal;
  throw refused(refusal);
}

/** Returns what hooks see of a request. */
export function seenByHooks({ method, path, headers }: HttpRequest): AuthorizationRequest {
  return { method, path, header: (name) => header(headers, name.toLowerCase()) };
}

/**
 * Only a principal allows the request, and only an explicit refusal is a 401 or 403. Any other error is an outage,
 * which says nothing about the credentials.
 */
function authorize(
  service: ServiceContext,
  seen: AuthorizationRequest,
  authorization: Authorization,
): Required<Principal> | Promise<Required<Principal>> {
  const { authorize: hook, authorizeTimeoutMs } = service.settings;
  if (hook === undefined) throw notConfigured();
  const tooLate = (): AsyncReplyError =>
    unavailable(`\`authorize\` did not answer within ${authorizeTimeoutMs} ms.`);
  const denied = (error: unknown): never => {
    throw denial(error, hook.challenge ?? "Bearer");
  };
  try {
    const answer = inTime(service, hook(seen, authorization), tooLate);
    return answer instanceof Promise ? answer.then(withTenant).catch(denied) : withTenant(answer);
  } catch (error) {
    return denied(error);
  }
}

function inTime<T>(
  { settings, runtime }: ServiceContext,
  answer: MaybePromise<T>,
  tooLate: () => AsyncReplyError,
): T | Promise<T> {
  const adopted = adoptPromise(answer);
  if (!(adopted instanceof Promise)) return adopted;
  return withinTime(adopted, settings.authorizeTimeoutMs, runtime.clock, tooLate);
}

function withTenant(principal: Principal | undefined | null): Required<Principal> {
  if (principal === undefined || principal === null) throw unauthenticated();
  const { id, tenant = id } = principal;
  const idProblem = tenantProblem(id);
  if (idProblem !== undefined)
    throw unavailable(`\`authorize\` returned no principal: its \`id\` ${idProblem}. ${PRINCIPAL_RULE}`);
  const problem = tenant === id ? undefined : tenantProblem(tenant);
  if (problem === undefined) return { id, tenant };
  throw unavailable(`\`authorize\` returned a \`tenant\` that ${problem}. ${TENANT_RULE}`);
}

/** Returns the refusal for an error that `authorize` threw. Everything that is not a refusal is an outage. */
export function denial(error: unknown, challenge: string): AsyncReplyError {
  const { code, detail = "" } = isAsyncReplyError(error) ? error : ({} as Partial<AsyncReplyError>);
  if (code === "UNAUTHENTICATED") {
    const headers = { "www-authenticate": challenge };
    return new AsyncReplyError(code, detail, { cause: error, headers });
  }
  if (code === "FORBIDDEN" || code === "AUTHORIZATION_UNAVAILABLE") return error as AsyncReplyError;
  return unavailable("`authorize` threw an error that is not a refusal.", error);
}

/** Returns the error for a request that is denied for now. The client should keep its credentials and try again. */
export function unavailable(problem: string, cause?: unknown): AsyncReplyError {
  const detail = "The request could not be authorized at the moment. Try again later.";
  const help =
    "To refuse credentials, throw unauthenticated() or return undefined. To deny access, throw forbidden().";
  const eventDetail = `${problem} ${help}`;
  return new AsyncReplyError("AUTHORIZATION_UNAVAILABLE", detail, { cause, eventDetail });
}

function refused({ status, retryAfterSeconds }: Refusal): AsyncReplyError {
  if (status !== 429 && status !== 503)
    return new AsyncReplyError(
      "INTERNAL",
      "`admit` must return nothing to admit a request, or `{ status, retryAfterSeconds }` with status 429 or 503.",
    );
  const code = status === 429 ? "TOO_MANY_REQUESTS" : "OVERLOADED";
  return new AsyncReplyError(code, "Too many requests. Try again later.", { retryAfterSeconds });
}

function notAdmittedInTime(): AsyncReplyError {
  return new AsyncReplyError("OVERLOADED", "`admit` did not answer within `authorizeTimeoutMs`.");
}
