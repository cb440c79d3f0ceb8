import { ok } from "../../../../src/testing/expect.js";
import { signalOf } from "../../signal.js";
import type { WireRequest } from "../fixtures/adapter-case.js";
import { casesOf, replyCase } from "../fixtures/cases-of.js";
import { mountOrders, ORDER, submission } from "../fixtures/orders-fixture.js";
import { checkProblem, REFUSED_KEY, type Refusal, refusalCase } from "../fixtures/refusal.js";
import { checkStatus } from "../fixtures/reply-checks.js";

const keyed = { "idempotency-key": REFUSED_KEY };
const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const encoder = new TextEncoder();

const MAX_BYTES = 100;
/** An order of exactly this many bytes, padded with insignificant white space. */
const orderOf = (length: number): string => ORDER.replace("{", `{${" ".repeat(length - ORDER.length)}`);

const malformed: Readonly<Record<string, string | Uint8Array>> = {
  "no body": "",
  "white space only": " \n",
  "a truncated body": '{"itemId":"book"',
  "a trailing comma": '{"itemId":"book","quantity":2,}',
  "text after the value": `${ORDER} x`,
  "two values": `${ORDER}${ORDER}`,
  "single quotes": "{'itemId':'book','quantity':2}",
  "a comment": `/* order */ ${ORDER}`,
  "a literal in upper case": '{"itemId":True,"quantity":2}',
  NaN: '{"itemId":"book","quantity":NaN}',
  "a leading zero": '{"itemId":"book","quantity":02}',
  "a leading plus": '{"itemId":"book","quantity":+2}',
  "a raw line break in a string": '{"itemId":"bo\nok","quantity":2}',
  "a repeated name": '{"itemId":"book","quantity":1,"quantity":2}',
  "a repeated name, once with escapes": '{"itemId":"book","quantity":1,"\\u0071uantity":2}',
  "a repeated name in a nested object": '{"itemId":"book","quantity":1,"x":[{"a":1,"a":1}]}',
  "an unpaired surrogate": '{"itemId":"\\ud800","quantity":2}',
  "an integer that no double can represent": '{"itemId":"book","quantity":9007199254740993}',
  "a number that is not finite": '{"itemId":"book","quantity":1e400}',
  "nesting beyond the limit": `${"[".repeat(33)}${"]".repeat(33)}`,
  "YAML labeled as JSON": "itemId: book\nquantity: 2\n",
  "XML labeled as JSON": "<order><itemId>book</itemId></order>",
  "a form labeled as JSON": "itemId=book&quantity=2",
  "a byte order mark": encoder.encode(`\ufeff${ORDER}`),
  "UTF-16": bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
  "a byte that is not UTF-8": bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
  "an overlong encoding": bytes(0x22, 0xc0, 0xaf, 0x22),
  "a surrogate in UTF-8": bytes(0x22, 0xed, 0xa0, 0x80, 0x22),
  "a truncated character": bytes(0x22, 0xe2, 0x82, 0x22),
};

const tooLarge = { reply: [413, "body-too-large"], options: { maxBodyBytes: MAX_BYTES } } as const;

const refusals: readonly Refusal[] = [
  ...Object.entries(malformed).map(
    ([what, body]): Refusal => ({
      name: `answers 400 to ${what}`,
      rule: "spec §7.1, RFC 8259, RFC 7493",
      request: submission({ fields: keyed, body }),
      reply: [400, "malformed-body"],
    }),
  ),
  {
    ...tooLarge,
    name: "answers 413 to a declared length above the limit",
    rule: "RFC 9110 §15.5.14",
    request: submission({ fields: keyed, body: orderOf(MAX_BYTES + 1) }),
    fields: { "retry-after": undefined },
  },
  {
    ...tooLarge,
    name: "answers 413 to a declared length above the limit before the body arrives",
    rule: "RFC 9110 §15.5.14",
    request: submission({
      fields: { ...keyed, "content-length": "10000000000" },
      body: { chunks: ["{"], end: "stall" },
    }),
  },
  {
    ...tooLarge,
    name: "answers 413 to a body without a declared length as soon as it exceeds the limit",
    rule: "RFC 9110 §15.5.14",
    request: submission({
      fields: keyed,
      body: { chunks: [orderOf(MAX_BYTES), " "], end: "stall" },
    }),
  },
  {
    name: "answers 408 to a body that does not arrive in time",
    rule: "RFC 9110 §15.5.9",
    options: { bodyTimeoutMs: 30 },
    request: submission({ fields: keyed, body: { chunks: ['{"itemId":'], end: "stall" } }),
    reply: [408, "body-timeout"],
  },
  {
    name: "answers 408 to a body with a declared length that does not arrive in time",
    rule: "RFC 9110 §15.5.9",
    options: { bodyTimeoutMs: 30 },
    request: submission({
      fields: { ...keyed, "content-length": "50" },
      body: { chunks: ['{"itemId":'], end: "stall" },
    }),
    reply: [408, "body-timeout"],
  },
];

const accepted: Readonly<Record<string, WireRequest>> = {
  "a body of exactly the maximum size": submission({ body: orderOf(MAX_BYTES) }),
  "a chunked body of exactly the maximum size": submission({ body: { chunks: [orderOf(MAX_BYTES)] } }),
  "a body in many pieces that split characters": submission({
    body: { chunks: [...encoder.encode('{"itemId":"büch 📚","quantity":2}')].map((byte) => bytes(byte)) },
  }),
  "white space around every token": submission({ body: ' {\r\n\t"itemId" : "book" , "quantity" : 2 } ' }),
};

/** Bodies are bounded, arrive in time and are parsed strictly. */
export const bodyCases = [
  ...refusals.map(refusalCase),
  ...Object.entries(accepted).map(([what, request]) =>
    replyCase({
      name: `accepts ${what}`,
      rule: "RFC 9110 §8.6, RFC 8259 §2",
      options: { maxBodyBytes: MAX_BYTES },
      request,
    }),
  ),
  ...casesOf({
    "spec §7": {
      "leaves the key of an aborted upload free": async (harness) => {
        const refusal = signalOf<string>();
        const orders = await mountOrders(harness, {
          observe: (event) => {
            if (event.event === "request.refused") refusal.resolve(event.code);
          },
        });
        const body = { chunks: [ORDER], end: "abort" } as const;
        await orders.send(submission({ fields: keyed, body })).catch(() => undefined);
        const code = await refusal.promise;
        ok(code === "BODY_ABORTED", `expected the upload to be refused with BODY_ABORTED, not ${code}`);
        ok((await orders.recorded()).length === 0, "expected no recorded operation for the upload");
        const again = submission({ fields: keyed, body: '{"itemId":"pen","quantity":1}' });
        checkStatus(await orders.send(again), 202);
      },
    },
    "spec §7.1": {
      "refuses malformed bodies by the same rules however they arrive": async (harness) => {
        const { send } = await mountOrders(harness);
        const body = { chunks: ["{", '"a":1,', '"a":2', "}"] };
        checkProblem(await send(submission({ body })), 400, "malformed-body");
      },
    },
  }),
];
