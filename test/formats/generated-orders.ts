import fc from "fast-check";
import { codePoint } from "../support/code-point.js";

/** A character that XML 1.0 allows (§2.2). Special characters are more frequent. */
const character = fc.oneof(
  fc.constantFrom(..."&<>\"'\r\n\t ]]>_x0041_a"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }).filter(isInXml),
);

function isInXml(text: string): boolean {
  return /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u.test(text);
}

export const text: fc.Arbitrary<string> = fc
  .array(character, { maxLength: 12 })
  .map((units) => units.join(""))
  .filter(isInXml);

/** Names of members: any text, including names that no element could have. */
export const memberName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...["", "a", "_x_", "_x0041_", "a_x0041_", "_x0041 b"],
    ...["__proto__", "constructor", "2nd", "a b", "a:b", "é", "😀"],
  ),
  fc.string({ unit: codePoint, maxLength: 6 }),
  text,
);

const positive = fc
  .maxSafeInteger()
  .map(Math.abs)
  .filter((n) => n > 0);

export const validOrder = fc.record({
  itemId: text.filter((id) => id !== ""),
  quantity: fc.oneof(fc.integer({ min: 1, max: 3 }), positive),
});

/**
 * Objects that are not orders in any format, including those without types. A number as `itemId` is not among them, because in
 * XML it is a valid string.
 */
export const invalidOrder: fc.Arbitrary<object> = fc
  .tuple(
    fc.record(
      {
        itemId: fc.oneof(fc.constantFrom("book", "", "i".repeat(256), null), fc.constantFrom({}, { a: "b" })),
        quantity: fc.oneof(
          fc.integer({ min: -5, max: 2 }),
          fc.constantFrom(1.5, -0.25, null, {}, { a: "b" }),
          fc.constantFrom("", "two", " 2", "2 ", "0x2", "2,0", "Infinity", "true"),
        ),
      },
      { requiredKeys: [] },
    ),
    fc.dictionary(memberName, fc.oneof(text, fc.constant({}), fc.constant({ a: "b" })), { maxKeys: 3 }),
  )
  .map(([order, others]) => ({ ...others, ...order }))
  .filter((order) => !isOrder(order));

function isOrder(order: { readonly itemId?: unknown; readonly quantity?: unknown }): boolean {
  const { itemId, quantity } = order;
  return (
    itemId === "book" && Number.isInteger(quantity) && Number(quantity) > 0 && Object.keys(order).length === 2
  );
}
