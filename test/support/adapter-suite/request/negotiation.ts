import { replyCase } from "../fixtures/cases-of.js";
import { request, submission, UNKNOWN } from "../fixtures/orders-fixture.js";
import { REFUSED_KEY, type Refusal, refusalCase } from "../fixtures/refusal.js";

const keyed = { "idempotency-key": REFUSED_KEY };

const TOO_LONG = `application/json${", text/html".repeat(800)}`;

const unsupported = [
  undefined,
  "",
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "application/jsonx",
  "application/ld+json",
  "application/yang-data+json",
  "json",
  "application/",
  "application/json; charset=iso-8859-1",
  "application/json; charset=utf-16",
  'application/json; charset="latin1"',
  "application/json; charset",
  "application/json; charset=utf-8; charset=utf-16",
  "application/json, text/plain",
];

const supported = [
  "application/json",
  "APPLICATION/JSON",
  "application/json;charset=utf-8",
  'application/json ; Charset="UTF-8"',
  "application/json; profile=order",
];

const unacceptable = [
  "text/html",
  "application/xml, text/*",
  "application/json;q=0",
  "application/json;q=0, */*",
  "application/yang-data+json",
  "*/*;q=0",
];

const acceptable = [
  undefined,
  "application/json",
  "*/*",
  "application/*",
  "Application/JSON; q=0.001",
  "text/html, application/xml;q=0.9, */*;q=0.8",
  "application/json;q=0.1, */*;q=0",
  'text/html;a=","; q=1, application/json;q=0.5',
];

const refusals: readonly Refusal[] = [
  ...unsupported.map(
    (contentType): Refusal => ({
      name: `answers 415 with Accept to the Content-Type ${JSON.stringify(contentType)}`,
      rule: "RFC 9110 §15.5.16",
      request: submission({ fields: { ...keyed, "content-type": contentType } }),
      reply: [415, "unsupported-media-type"],
      fields: { accept: "application/json" },
    }),
  ),
  ...["gzip", "GZIP", "br", "identity, gzip", "unheard-of"].map(
    (coding): Refusal => ({
      name: `answers 415 with Accept-Encoding to the Content-Encoding ${coding}`,
      rule: "RFC 9110 §12.5.3",
      request: submission({ fields: { ...keyed, "content-encoding": coding } }),
      reply: [415, "unsupported-content-coding"],
      fields: { "accept-encoding": "identity" },
    }),
  ),
  ...unacceptable.map(
    (accept): Refusal => ({
      name: `answers 406 to the Accept ${accept}`,
      rule: "RFC 9110 §15.5.7",
      request: submission({ fields: { ...keyed, accept } }),
      reply: [406, "not-acceptable"],
      members: {
        detail: "The header field Accept matches no available media type. Available: application/json.",
      },
    }),
  ),
  ...[
    submission({ fields: { ...keyed, accept: TOO_LONG } }),
    request("GET", UNKNOWN, { accept: TOO_LONG }),
    request("DELETE", UNKNOWN, { accept: TOO_LONG }),
  ].map(
    (asked): Refusal => ({
      name: `answers 400 to ${asked.method} with an excessively long Accept`,
      rule: "docs/problems.md, malformed-request",
      options: { cancellable: true },
      request: asked,
      reply: [400, "malformed-request"],
    }),
  ),
  {
    name: "refuses a repeated Content-Type, even if one of its lines is valid",
    rule: "RFC 9110 §8.3",
    needs: ["fieldLines"],
    request: submission({ fields: { ...keyed, "content-type": ["application/json", "application/xml"] } }),
    reply: [400, "malformed-request"],
  },
];

/** Media types that bodies and replies may have. */
export const negotiationCases = [
  ...refusals.map(refusalCase),
  ...supported.map((contentType) =>
    replyCase({
      name: `reads a body with the Content-Type ${contentType}`,
      rule: "RFC 9110 §8.3.1",
      request: submission({ fields: { "content-type": contentType } }),
    }),
  ),
  ...acceptable.map((accept) =>
    replyCase({
      name: `replies in JSON to the Accept ${JSON.stringify(accept)}`,
      rule: "RFC 9110 §12.5.1",
      request: submission({ fields: { accept } }),
      fields: { "content-type": "application/json", vary: "accept" },
    }),
  ),
  replyCase({
    name: "combines the lines of a repeated Accept",
    rule: "RFC 9110 §5.3",
    request: submission({ fields: { accept: ["text/html", "application/json;q=0.1"] } }),
  }),
  replyCase({
    name: "treats the Content-Encoding identity like none",
    rule: "RFC 9110 §8.4.1",
    request: submission({ fields: { "content-encoding": "identity" } }),
  }),
  refusalCase({
    name: "answers 406 on the status endpoint too, whether or not the operation exists",
    rule: "RFC 9110 §15.5.7",
    request: request("GET", UNKNOWN, { accept: "text/html" }),
    reply: [406, "not-acceptable"],
  }),
];
