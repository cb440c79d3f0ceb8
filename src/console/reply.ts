import { utf8Length } from "../contract/json/json-text.js";
import type { HttpResponse } from "../http/message/message.js";
import type { ProblemReply } from "../http/message/problems.js";
import { STREAM_FIELDS } from "../http/streaming/event-body.js";

/** Everything comes from the console itself, nothing is inline, and no text becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Header fields of every reply. No field is for CORS, so other sites cannot read anything. */
const FIELDS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Creates a reply with a text, such as a part of the page. */
export function textReply(mediaType: string, body: string, status = 200): HttpResponse {
  const headers = { ...FIELDS, "content-type": mediaType, "content-length": String(utf8Length(body)) };
  return { status, headers, body };
}

/** Creates a reply with data. */
export function jsonReply(data: unknown): HttpResponse {
  return textReply("application/json", JSON.stringify(data));
}

/** Creates a reply with a stream of events. */
export function eventReply(body: AsyncIterable<Uint8Array>): HttpResponse {
  return { status: 200, headers: { ...FIELDS, ...STREAM_FIELDS }, body };
}

/** Creates a problem reply (RFC 9457). */
export function problemReply({ status, body, headers }: ProblemReply): HttpResponse {
  const reply = textReply("application/problem+json", JSON.stringify(body), status);
  return { ...reply, headers: { ...headers, ...reply.headers } };
}

/** Creates a reply that sends the browser to another place. */
export function redirectReply(location: string): HttpResponse {
  return { status: 308, headers: { ...FIELDS, location, "content-length": "0" } };
}
