import { unauthenticated } from "../../contract/errors.js";
import { text } from "../../contract/option-values.js";
import {
  adoptPromise,
  isObject,
  kindOf,
  misuse,
  type OptionTable,
  readOptions,
} from "../../contract/options.js";
import type { AuthorizationRequest, Authorize, Principal } from "../../ports/authorize.js";
import { tokenRefusal } from "./token-refusal.js";

/**
 * Returns the principal of a credential. If it returns nothing or throws `unauthenticated()`, the reply is 401. The
 * reply is also 401 if it throws an error with which `jose` or `jsonwebtoken` rejects a token. For any other error it
 * is 503.
 */
export type Verify = (
  credential: string,
  request: AuthorizationRequest,
) => Principal | undefined | null | PromiseLike<Principal | undefined | null>;

/** Maps each known credential to its principal, or to the id of its principal. */
export type KnownCredentials = Readonly<Record<string, string | Principal>>;

/**
 * Creates an `authorize` hook for `Authorization: Bearer <token>` (RFC 6750). A request without a token is a 401.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param verify a function that verifies a token, or an object of known tokens, which are compared in constant time
 */
export function bearer(verify: Verify | KnownCredentials): Authorize {
  const check = toVerify("bearer", verify);
  const authorize = (request: AuthorizationRequest): ReturnType<Authorize> => {
    const [, token] = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(request.header("authorization") ?? "") ?? [];
    if (token === undefined)
      throw unauthenticated("A bearer token is required in the header field Authorization.");
    return check(token, request);
  };
  const scheme = { type: "http", scheme: "bearer" } as const;
  return Object.assign(authorize, { challenge: 'Bearer realm="operations"', scheme });
}

/** Options of {@link apiKey}. */
export interface ApiKeyOptions {
  /** Name of the header field with the key. Default: `X-API-Key`. */
  readonly header?: string;
}

const API_KEY_OPTIONS: OptionTable<Required<ApiKeyOptions>> = {
  header: text(/^[A-Za-z0-9-]+$/, "the name of a header field, such as `X-API-Key`", "X-API-Key"),
};

/**
 * Creates an `authorize` hook for a key in its own header field. A request without a key is a 401.
 *
 * Throws `INVALID_OPTION`.
 *
 * @param verify a function that verifies a key, or an object of known keys, which are compared in constant time
 */
export function apiKey(verify: Verify | KnownCredentials, options: ApiKeyOptions = {}): Authorize {
  const { header } = readOptions(options, API_KEY_OPTIONS, "apiKey");
  const check = toVerify("apiKey", verify);
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
 * Creates an `authorize` hook that allows every request. All callers then share one tenant and its keys, and any
 * caller who knows the id of an operation can read it. Use it for services behind a gateway that authorizes, and for
 * trying things out.
 */
export function allowAnonymous(): Authorize {
  return Object.assign(() => ({ id: "anonymous" }), { scheme: "none" } as const);
}

const CREDENTIALS =
  "a function that verifies a credential, or an object of known credentials and principals: `{ token: id }`";

function toVerify(name: string, verify: Verify | KnownCredentials): Verify {
  if (typeof verify === "function") return recognizingRefusals(verify);
  const refuse = (given: string): never => {
    throw misuse(`${name}() takes ${CREDENTIALS}, not ${given}.`);
  };
  if (!isObject(verify)) return refuse(kindOf(verify));
  const known = Object.entries(verify).map(([candidate, owner]) => ({
    candidate,
    principal: typeof owner === "string" ? { id: owner } : owner,
  }));
  if (known.length === 0) refuse("an empty object");
  for (const { candidate, principal } of known) {
    // Otherwise a missing variable of the environment would let in everyone who sends this word.
    if (candidate === "undefined") refuse('the credential "undefined". Check that its variable is set');
    if (!isObject(principal)) refuse(`${kindOf(principal)} as a principal`);
  }
  return (credential) => {
    let found: Principal | undefined;
    // Compares all of them, so the duration does not reveal which one was close.
    for (const { candidate, principal } of known)
      if (equalInConstantTime(candidate, credential)) found = principal;
    return found;
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

/** Compares two strings in a time that depends only on their lengths. */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1) {
    // Past the end of `b` this is NaN, and `^` treats NaN as 0.
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
