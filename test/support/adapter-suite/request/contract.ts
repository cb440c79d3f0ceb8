import { replyCase } from "../fixtures/cases-of.js";
import { submission } from "../fixtures/orders-fixture.js";
import { REFUSED_KEY, type Refusal, refusalCase } from "../fixtures/refusal.js";

const keyed = { "idempotency-key": REFUSED_KEY };

/** Well-formed bodies that are not valid orders, each with all violations that the reply must list. */
const violations: readonly (readonly [body: string, errors: readonly (readonly [string, string])[]])[] = [
  ["[]", [["#", "must be an object with the members itemId and quantity"]]],
  ["null", [["#", "must be an object with the members itemId and quantity"]]],
  ['"order"', [["#", "must be an object with the members itemId and quantity"]]],
  [
    "{}",
    [
      ["#/itemId", "is required"],
      ["#/quantity", "is required"],
    ],
  ],
  [
    '{"itemId":7,"quantity":"2"}',
    [
      ["#/itemId", "must be a string"],
      ["#/quantity", "must be a number"],
    ],
  ],
  [
    '{"itemId":"","quantity":0}',
    [
      ["#/itemId", "must not be empty"],
      ["#/quantity", "must be greater than 0"],
    ],
  ],
  ['{"itemId":"book","quantity":-1}', [["#/quantity", "must be greater than 0"]]],
  ['{"itemId":"book","quantity":-0}', [["#/quantity", "must be greater than 0"]]],
  [
    '{"itemId":"book","quantity":1.5}',
    [["#/quantity", "must be a whole number of at most 9007199254740991"]],
  ],
  [
    '{"itemId":"book","quantity":9007199254740992}',
    [["#/quantity", "must be a whole number of at most 9007199254740991"]],
  ],
  ['{"itemId":"book","quantity":null}', [["#/quantity", "must be a number"]]],
  ['{"itemId":"book","quantity":[2]}', [["#/quantity", "must be a number"]]],
  ['{"itemId":"bo\\u0000ok","quantity":1}', [["#/itemId", "must not contain the character NUL"]]],
  [`{"itemId":"${"x".repeat(256)}","quantity":1}`, [["#/itemId", "must have at most 255 characters"]]],
  [
    '{"itemId":"book","quantity":0,"status":"completed","a/b~c d":1}',
    [
      ["#/quantity", "must be greater than 0"],
      ["#/status", "is not a known member"],
      ["#/a~1b~0c%20d", "is not a known member"],
    ],
  ],
  ['{"itemId":"book","quantity":2,"__proto__":{"quantity":1}}', [["#/__proto__", "is not a known member"]]],
  [
    '{"itemId":"book","__proto__":{"quantity":1}}',
    [
      ["#/quantity", "is required"],
      ["#/__proto__", "is not a known member"],
    ],
  ],
  ['{"itemId":"book","quantity":2,"constructor":1}', [["#/constructor", "is not a known member"]]],
];

const refusals = violations.map(
  ([body, errors]): Refusal => ({
    name: `answers 422 to ${body.length > 80 ? `${body.slice(0, 20)}… of ${body.length} characters` : body} and lists all violations`,
    rule: "spec §7.3, RFC 9457 §3",
    request: submission({ fields: keyed, body }),
    reply: [422, "contract-violation"],
    members: { errors: errors.map(([pointer, detail]) => ({ pointer, detail })) },
  }),
);

/** Well-formed bodies, valid and invalid. */
export const contractCases = [
  ...refusals.map(refusalCase),
  ...[
    '{"itemId":"b","quantity":1.0}',
    '{"itemId":"b","quantity":1e0}',
    '{"quantity":9007199254740991,"itemId":" "}',
  ].map((body) =>
    replyCase({
      name: `accepts ${body}: only the value counts`,
      rule: "spec §2",
      request: submission({ body }),
    }),
  ),
];
