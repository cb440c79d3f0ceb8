import { fromBase64Url } from "../../contract/base64url.js";
import { AsyncReplyError, unauthenticated } from "../../contract/errors.js";

/**
 * Returns the 401 for an error with which `jose` or `jsonwebtoken` rejects a token. Returns undefined for any other
 * error: a key set that cannot be fetched says nothing about the token.
 */
export function tokenRefusal(error: unknown, token: string): AsyncReplyError | undefined {
  const { code, claim = "", name, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // Nothing else of these errors may reach events, because jose attaches the claims of the token to them.
  if (JOSE.test(String(code))) return refusal(`${code} ${claim}`);
  if (JSONWEBTOKEN.test(`${name}: ${message}`)) return refusal(String(message));
  return name === "SyntaxError" && hasMalformedPayload(token) ? refusal("malformed payload") : undefined;
}

/** Leaves out the codes for key sets that time out, are malformed, or could not be fetched: those are outages. */
const JOSE = /^ERR_(JW[EST]_|JOSE_(ALG|NOT)_|JWKS_NO_)/;
/** Leaves out messages about missing keys and invalid options. Their errors have the same names. */
const JSONWEBTOKEN =
  /^(JsonWebToken|TokenExpired|NotBefore)Error: (jwt |invalid |iat |maxAge |please specify "none")/;

function refusal(reason: string): AsyncReplyError {
  const { code, detail } = unauthenticated();
  return new AsyncReplyError(code, detail, { eventDetail: `The credential was rejected: ${reason}` });
}

/**
 * Returns whether the payload of a token is not JSON. jsonwebtoken then throws the SyntaxError of `JSON.parse`, which
 * could also be caused by a malformed reply of the identity provider.
 */
function hasMalformedPayload(token: string): boolean {
  const [header = "", payload = "", ...rest] = token.split(".");
  const { typ } = (decode(header) ?? {}) as { readonly typ?: unknown };
  return rest.length === 1 && typ === "JWT" && decode(payload) === undefined;
}

function decode(part: string): unknown {
  try {
    return JSON.parse(fromBase64Url(part));
  } catch {
    return undefined;
  }
}
