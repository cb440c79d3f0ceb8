import type { HttpResponse } from "./message.js";

/** Returns a strong entity tag of the body and its media type, so two formats never share a tag (RFC 9110 §8.8.3). */
export function entityTag(
  { headers, body }: HttpResponse,
  hash: (text: string) => string | Promise<string>,
): string | Promise<string> {
  const digest = hash(`${headers["content-type"]}\n${body as string}`);
  return typeof digest === "string" ? toTag(digest) : digest.then(toTag);
}

function toTag(digest: string): string {
  return `"${digest.slice(0, TAG_LENGTH)}"`;
}

/** 132 bits of the digest, enough that two representations of one operation never collide. */
const TAG_LENGTH = 22;

/** Returns whether `If-None-Match` matches this tag. Compares weakly, and accepts lists and `*` (RFC 9110 §13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  // These tags contain no commas, so a plain split finds them in any list.
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
