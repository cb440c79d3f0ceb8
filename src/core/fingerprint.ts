/**
 * Names a payload: two payloads that are equal as values have one fingerprint, whatever their format, member order
 * and white space. Prefixed with its version, so that a later version can still judge what an earlier one stored.
 *
 * @param canonical the payload in RFC 8785 form
 * @param hash SHA-256 in base64url
 */
export function fingerprint(
  canonical: string,
  hash: (text: string) => string | Promise<string>,
): string | Promise<string> {
  const digest = hash(canonical);
  return typeof digest === "string" ? VERSION + digest : digest.then((value) => VERSION + value);
}

const VERSION = "1:";
