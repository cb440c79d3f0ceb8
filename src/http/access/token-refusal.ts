import { fromBase64Url } from "../../contract/base64url.js";
import { AsyncReplyError, unauthenticated } from "../../contract/errors.js";

/**
 * Returns the 401 for an error by which `jose` or `jsonwebtoken` says that a token is not good. Returns undefined for every
 * other error: a key set that cannot be fetched says nothing about the token.
 */
export function tokenRefusal(error: unknown, token: string): AsyncReplyError | undefined {
  const { code, claim = "", name, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // Nothing else of these errors gets into events: jose keeps the claims of the token at them.
  if (JOSE.test(String(code))) return refusal(`${code} ${claim}`);
  if (JSONWEBTOKEN.test(`${name}: ${message}`)) return refusal(String(message));
  return name === "SyntaxError" && hasMalformedPayload(token) ? refusal("malformed payload") : undefined;
}

/** Not the codes for key sets that time out or are malformed, nor the one for any other answer of their server. */
const JOSE = /^ERR_(JW[EST]_|JOSE_(ALG|NOT)_|JWKS_NO_)/;
/** Not the messages about keys that cannot be had, nor about mistakes in options: their names are the same. */
const JSONWEBTOKEN =
  /^(JsonWebToken|TokenExpired|NotBefore)Error: (jwt |invalid |iat |maxAge |please specify "none")/;

function refusal(reason: string): AsyncReplyError {
  const { code, detail } = unauthenticated();
  return new AsyncReplyError(code, detail, { eventDetail: `The credential was refused: ${reason}` });
}

/** jsonwebtoken lets the error of JSON.parse out, which could as well come from an answer of the identity provider. */
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
