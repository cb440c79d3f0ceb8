import { deepEqual } from "../../../../src/testing/expect.js";
import type { AdapterCase } from "../fixtures/adapter-case.js";
import { casesOf } from "../fixtures/cases-of.js";
import { mountOrders, submission } from "../fixtures/orders-fixture.js";
import { REFUSED_KEY, type Refusal, refusalCase } from "../fixtures/refusal.js";
import { checkFields, operationIdOf } from "../fixtures/reply-checks.js";

const LONGEST = "k".repeat(255);

/** Two spellings of one key. */
const spellings: readonly (readonly [string, string])[] = [
  ["0190f5fe-7c00-7a00-8d9e-0123456789ab", '"0190f5fe-7c00-7a00-8d9e-0123456789ab"'],
  ["k", '"k";created=1'],
  ["123", '"123"'],
  [LONGEST, `"${LONGEST}"`],
];

const malformed = [
  "",
  '""',
  '"',
  '"k',
  'k"',
  '"a" "b"',
  '"a", "b"',
  "a, b",
  "a b",
  '"a\\b"',
  '"k";;',
  '"k" x',
  "k;a=1",
  "kä",
  '"kä"',
  '"a\tb"',
  `${LONGEST}k`,
  `"${LONGEST}k"`,
];

const refusals: readonly Refusal[] = [
  ...malformed.map(
    (key): Refusal => ({
      name: `answers 400 to the malformed Idempotency-Key ${shown(key)}`,
      rule: "RFC 8941 §4.2.5",
      request: submission({ fields: { "idempotency-key": key } }),
      reply: [400, "invalid-idempotency-key"],
    }),
  ),
  {
    name: "answers 400 to a repeated Idempotency-Key, even if both lines agree",
    rule: "RFC 8941 §4.2",
    request: submission({ fields: { "idempotency-key": [REFUSED_KEY, REFUSED_KEY] } }),
    reply: [400, "invalid-idempotency-key"],
  },
  {
    name: "answers 400 to a request without a key if the definition requires one",
    rule: "draft-ietf-httpapi-idempotency-key-header-07 §2.7",
    options: { idempotencyKey: "required" },
    request: submission(),
    reply: [400, "missing-idempotency-key"],
  },
  {
    name: "reports a malformed key as malformed, not as missing",
    rule: "draft-ietf-httpapi-idempotency-key-header-07 §2.1",
    options: { idempotencyKey: "required" },
    request: submission({ fields: { "idempotency-key": "a b" } }),
    reply: [400, "invalid-idempotency-key"],
  },
];

/** Syntax of idempotency keys. */
export const idempotencyKeyCases = [
  ...refusals.map(refusalCase),
  ...spellings.map(
    ([bare, quoted]): AdapterCase => ({
      name: `treats ${shown(bare)} and ${shown(quoted)} as the same key`,
      rule: "RFC 8941 §3.3.3",
      run: async (harness) => {
        const { send } = await mountOrders(harness);
        const first = await send(submission({ fields: { "idempotency-key": bare } }));
        const second = await send(submission({ fields: { "idempotency-key": quoted } }));
        deepEqual(operationIdOf(second), operationIdOf(first), "the operation of the second spelling");
        checkFields(second, { "idempotent-replayed": "true" });
      },
    }),
  ),
  ...casesOf({
    "RFC 8941 §3.3.3": {
      "distinguishes keys by case, escapes and spaces inside the quotes": async (harness) => {
        const { send } = await mountOrders(harness);
        const ids = new Set<string>();
        const keys = ["k", "K", '"k "', '" k"', '"a\\"b"', '"a\\\\b"', "__proto__", "constructor"];
        for (const key of keys) {
          ids.add(operationIdOf(await send(submission({ fields: { "idempotency-key": key } }))));
        }
        deepEqual(ids.size, keys.length, "the number of operations");
      },
    },
  }),
];

function shown(key: string): string {
  const text = JSON.stringify(key);
  return text.length > 60 ? `${text.slice(0, 20)}… of ${key.length} characters` : text;
}
