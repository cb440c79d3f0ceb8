/**
 * Returns the fingerprint of a payload: a prefix and the SHA-256 of its canonical text. The prefix is `1:` for the
 * canonical JSON of the value (RFC 8785) and `1;<media type>:` for the tree of a document in that format. The number
 * is the version of the algorithm.
 *
 * @param text canonical text to hash
 * @param hash SHA-256 in base64url
 * @param format media type, if the text is a tree. Default: none; the text is the value.
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

/** Returns the prefix of a fingerprint. Only fingerprints with the same prefix can show that two payloads differ. */
export function formOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(":"));
}
