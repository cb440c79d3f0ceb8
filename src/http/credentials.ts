import { unauthenticated } from "../core/errors.js";
import { checkFunction, invalidOption } from "../core/options.js";
import type { AuthorizationRequest, Authorize, Principal } from "../ports/authorize.js";

/** Tells whose credential this is; returning nothing or throwing denies. */
export type Verify = (
  credential: string,
  request: AuthorizationRequest,
) => Principal | undefined | null | Promise<Principal | undefined | null>;

/** Known credentials and the ids of their principals. */
export type KnownCredentials = Readonly<Record<string, string>>;

/**
 * Authorizes by `Authorization: Bearer <token>` (RFC 6750). Takes a function that verifies tokens, or the known tokens
 * themselves, which are then compared in constant time.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function bearer(verify: Verify | KnownCredentials): Authorize {
  const check = toVerify("bearer", verify);
  const authorize = (request: AuthorizationRequest): ReturnType<Authorize> => {
    const [, token] = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.header("authorization") ?? "") ?? [];
    if (token === undefined) throw unauthenticated("A bearer token is required.");
    return check(token, request);
  };
  const scheme = { type: "http", scheme: "bearer" } as const;
  return Object.assign(authorize, { challenge: 'Bearer realm="operations"', scheme });
}

/**
 * Authorizes by a key in a header field of its own, by default `X-API-Key`. Takes what {@link bearer} takes.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function apiKey(
  verify: Verify | KnownCredentials,
  { header = "X-API-Key" }: { readonly header?: string } = {},
): Authorize {
  const check = toVerify("apiKey", verify);
  if (!/^[A-Za-z0-9-]+$/.test(header)) throw invalidOption("header", "the name of a header field", header);
  const authorize = (request: AuthorizationRequest): ReturnType<Authorize> => {
    const key = request.header(header);
    if (key === undefined || key === "")
      throw unauthenticated(`A key in the header field ${header} is required.`);
    return check(key, request);
  };
  const scheme = { type: "apiKey", in: "header", name: header } as const;
  return Object.assign(authorize, { challenge: `ApiKey header="${header}"`, scheme });
}

/**
 * Lets everybody in. Then all callers share one scope of keys, and whoever knows the id of an operation may read it:
 * the id is a capability. For services behind something that authorizes, and for trying things out.
 */
export function allowAnonymous(): Authorize {
  return Object.assign(() => ({ id: "anonymous" }), { scheme: "none" } as const);
}

function toVerify(name: string, verify: Verify | KnownCredentials): Verify {
  if (typeof verify !== "object" || verify === null) {
    checkFunction(name, verify);
    return verify;
  }
  const known = Object.entries(verify);
  if (known.length === 0) throw invalidOption(name, "a function or at least one known credential", "{}");
  return (credential) => {
    // All are compared, so that the time does not tell which one came close.
    const matches = known.filter(([candidate]) => equalInConstantTime(candidate, credential));
    return matches[0] === undefined ? undefined : { id: matches[0][1] };
  };
}

/** Compares texts in a time that depends on their lengths only. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1) {
    // Past the end of `b` this is NaN, which counts as 0 here.
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
