import * as fc from "fast-check";
import type { WireRequest } from "../support/adapter-suite/fixtures/adapter-case.js";

/**
 * Prefers the usual value over the odd one, 12 to 1. Otherwise nearly every generated request would be refused early
 * and only refusals would be compared.
 */
export function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

const character = fc
  .integer({ min: 0x20, max: 0xff })
  .filter((code) => code !== 0x7f)
  .map((code) => String.fromCharCode(code));
/** Field values: Latin-1, because a program receives each byte of a field as one character. */
const fieldText = fc.string({ unit: fc.oneof(character, fc.constant("\t")), maxLength: 20 });

type Lines = readonly string[];
const once = (value: fc.Arbitrary<string>): fc.Arbitrary<Lines> => value.map((each) => [each]);
const absent = fc.constant<Lines>([]);
const repeated = (value: fc.Arbitrary<string>): fc.Arbitrary<Lines> =>
  fc.array(value, { minLength: 2, maxLength: 3 });

const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("Bearer token-of-a", "bearer  token-of-a") },
  { weight: 1, arbitrary: fc.constant("Bearer token-of-b") },
);
const contentType = fc.constantFrom(
  "application/json",
  "Application/JSON; charset=utf-8",
  'application/json;charset="UTF-8"',
);
const range = fc
  .tuple(
    fc.constantFrom(..."application/json */* application/* text/html * application/xml a/b/c".split(" "), ""),
    fc.constantFrom("", ";q=0", ";q=0.5", "; q=1.000", ";q=.2", ";q=2", ";q=x", ';a=","'),
  )
  .map((parts) => parts.join(""));
const accept = fc.array(range, { minLength: 1, maxLength: 3 }).map((ranges) => ranges.join(", "));
const key = fc.integer({ min: 1, max: 200 }).map((count) => `key-${count}`);
const quotedKey = key.map((each) => `"${each}"`);
const parameterizedKey = key.map((each) => `"${each}";a=1`);
const malformedKey = fc.constantFrom(
  ...["", '""', '"k', "a b", "a, b", '"a"; b', '"k";;', "k;a=1", "k\u00e9", "x".repeat(256)],
);

const fields: Readonly<Record<string, fc.Arbitrary<Lines>>> = {
  authorization: mostly(
    once(authorization),
    fc.oneof(absent, once(fieldText), once(fc.constant("Bearer wrong")), repeated(authorization)),
  ),
  "content-type": mostly(
    once(contentType),
    fc.oneof(absent, once(fieldText), once(fc.constant("text/plain")), repeated(contentType)),
  ),
  "content-encoding": mostly(absent, once(fc.constantFrom("identity", "gzip", "identity, br", ""))),
  accept: mostly(absent, fc.oneof(once(accept), repeated(accept), once(fieldText))),
  "idempotency-key": fc.oneof(
    { weight: 4, arbitrary: absent },
    { weight: 8, arbitrary: once(fc.oneof(key, quotedKey, parameterizedKey)) },
    { weight: 1, arbitrary: fc.oneof(once(malformedKey), once(fieldText), repeated(key)) },
  ),
  "if-none-match": fc.oneof(absent, absent, once(fc.constantFrom("*", "*", '"other"', 'W/"a", "b"', ""))),
  prefer: mostly(absent, repeated(fc.constantFrom("respond-async", "wait=10", ""))),
  "x-odd": mostly(absent, fc.oneof(once(fieldText), repeated(fieldText))),
};

const spelling = fc.constantFrom<(name: string) => string>(
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
);
/** Generates the fields of a request without those that frame its body. */
export const generatedFields: fc.Arbitrary<WireRequest["headers"]> = fc
  .tuple(fc.record(fields), spelling)
  .map(([all, spell]) =>
    Object.entries(all).flatMap(([name, lines]) => lines.map((line) => [spell(name), line] as const)),
  );
