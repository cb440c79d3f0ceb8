/**
 * Names a payload by the SHA-256 of one text. Before the digest stands what the text is: `1` for the RFC 8785 form of the
 * value, `1;<media type>` for the tree of a document in that format. The number is the version of the algorithm.
 *
 * @param text the canonical text to hash
 * @param hash SHA-256 in base64url
 * @param format the media type of the format whose tree the text is. Default: none, the text is the value.
 */
export function fingerprint(
  text: string,
  hash: (text: string) => string | Promise<string>,
  format?: string,
): string | Promise<string> {
  const prefix = format === undefined ? "1:" : `1;${format}:`;
  const digest = hash(text);
  return typeof digest === "string" ? prefix + digest : digest.then((value) => prefix + value);
}

/** Returns what was hashed for a fingerprint. Only fingerprints of one form can tell that two payloads differ. */
export function formOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(":"));
}
