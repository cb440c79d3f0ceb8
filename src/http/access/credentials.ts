import { unauthenticated } from "../../contract/errors.js";
import { checkOptions, invalidOption, kindOf, misuse, type OptionNames } from "../../contract/options.js";
import { adoptPromise } from "../../contract/promises.js";
import type { AuthorizationRequest, Authorize, Principal } from "../../ports/authorize.js";
import { tokenRefusal } from "./token-refusal.js";

/**
 * Returns the principal that a credential belongs to. Returning nothing and throwing `unauthenticated()` are a 401, and so
 * are the errors by which `jose` and `jsonwebtoken` refuse a token. Any other error is a 503.
 */
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

/** Options of {@link apiKey}. */
export interface ApiKeyOptions {
  /** The header field that holds the key. Default: `X-API-Key`. */
  readonly header?: string;
}

const API_KEY_OPTIONS: OptionNames<ApiKeyOptions> = { header: true };

/**
 * Authorizes by a key in a header field of its own, by default `X-API-Key`. Takes what {@link bearer} takes.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function apiKey(verify: Verify | KnownCredentials, options: ApiKeyOptions = {}): Authorize {
  checkOptions(options, API_KEY_OPTIONS, "apiKey");
  const { header = "X-API-Key" } = options;
  const check = toVerify("apiKey", verify);
  if (!/^[A-Za-z0-9-]+$/.test(header))
    throw invalidOption("header", "the name of a header field, such as `X-API-Key`", header);
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
 * Lets everybody in. Then all callers share one tenant of keys, and whoever knows the id of an operation may read it:
 * the id is a capability. For services behind something that authorizes, and for trying things out.
 */
export function allowAnonymous(): Authorize {
  return Object.assign(() => ({ id: "anonymous" }), { scheme: "none" } as const);
}

const CREDENTIALS =
  "a function that verifies a credential, or an object of known credentials and principals: `{ token: id }`";

function toVerify(name: string, verify: Verify | KnownCredentials): Verify {
  if (typeof verify !== "object" || verify === null) {
    if (typeof verify === "function") return recognizingRefusals(verify);
    throw misuse(`${name}() takes ${CREDENTIALS}, not ${kindOf(verify)}.`);
  }
  const known = Object.entries(verify);
  if (known.length === 0) throw misuse(`${name}() takes ${CREDENTIALS}, not an empty object.`);
  return (credential) => {
    // All are compared, so that the time does not tell which one came close.
    const matches = known.filter(([candidate]) => equalInConstantTime(candidate, credential));
    return matches[0] === undefined ? undefined : { id: matches[0][1] };
  };
}

function recognizingRefusals(verify: Verify): Verify {
  return (credential, request) => {
    const onError = (error: unknown): never => {
      throw tokenRefusal(error, credential) ?? error;
    };
    try {
      const answer = adoptPromise(verify(credential, request));
      return answer instanceof Promise ? answer.catch(onError) : answer;
    } catch (error) {
      return onError(error);
    }
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
