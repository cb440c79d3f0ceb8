/**
 * Encodes bytes, each a character up to U+00FF, in base64url without padding (RFC 4648 §5).
 *
 * @throws DOMException `InvalidCharacterError` for any other character
 */
export function toBase64Url(bytes: string): string {
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Decodes base64url, with or without padding, into bytes, each a character up to U+00FF.
 *
 * @throws DOMException `InvalidCharacterError` for any other text
 */
export function fromBase64Url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}
