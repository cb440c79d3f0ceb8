import type { HttpResponse } from "./message.js";

/** A strong entity tag: of the bytes and their media type, so that two formats never share one (RFC 9110 §8.8.3). */
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

/** Enough of the digest that two representations of one operation never meet: 132 bits. */
const TAG_LENGTH = 22;

/** Whether `If-None-Match` names this tag; compared weakly, with lists and `*` (RFC 9110 §13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  // Our tags hold neither commas nor quotes, so that a plain split finds them in any list.
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
