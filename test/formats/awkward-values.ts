import fc from "fast-check";
import { codePoint } from "../support/code-point.js";

/** Pieces of text with a meaning in some version of YAML. */
const pieces = [
  ...`!|>%@\`~={}[]:#-,"'\\\n\n\r\t  `,
  ...["  ", ": ", " #", "- ", "? ", "&a", "*a", "!!str ", "<<", "|+\n", ">-\n"],
  ...["---", "...", "\n---\n", "\n...\n", "%YAML 1.1\n"],
  ..."null Null true Yes no on y 0 1 -1 010 0o7 0x1F 0b1 1_000 1:30 .5 5. 1e3 1.e+3 1e400 .inf -.Inf .nan".split(
    " ",
  ),
  ...["2001-01-01", "2001-01-01T00:00:00Z"],
  ..."\0\x07\x1b\x7f\u0085\u00a0\u2028\u2029\ufeff\ufffe\uffff",
  ...["a", "é", "😀", "\u{10ffff}", "__proto__", "constructor", "long ".repeat(30), "x".repeat(1100)],
];

const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join("")),
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);

const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e21, 1e22, 1.5e300, 5e-324, 1e-7, 123456789012345680000),
);

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    { arbitrary: awkwardText, weight: 3 },
    number,
    fc.constantFrom(null, true, false, [], {}),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(awkwardText, tie("value"), { maxKeys: 4 }),
  ),
}));

/** JSON values with text that is easily misread. Leaves out -0, which JSON.stringify writes as 0. */
export const awkwardValue = values.value.map((value): unknown => JSON.parse(JSON.stringify(value)));
