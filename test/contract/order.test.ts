import { defineOrders } from "async-request-reply";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { validate } from "../../src/contract/schema.js";

const { input, jsonSchema } = defineOrders();

const violationsOf = (value: unknown): unknown => {
  try {
    return validate(input, value);
  } catch (error) {
    return (error as { context: { violations: unknown } }).context.violations;
  }
};

const WHOLE = "must be a whole number of at most 9007199254740991";
const ORDER = "must be an object with the members itemId and quantity";
const UNKNOWN = "is not a known member";

describe("an order", () => {
  it.each([
    { itemId: "a", quantity: 1 },
    { itemId: "x".repeat(255), quantity: Number.MAX_SAFE_INTEGER },
  ])("is accepted: %j", (order) => expect(violationsOf(order)).toEqual(order));

  it.each<[what: string, value: unknown, violations: Readonly<Record<string, string>>]>([
    ["no members", {}, { "#/itemId": "is required", "#/quantity": "is required" }],
    ["a quantity of 0", { itemId: "a", quantity: 0 }, { "#/quantity": "must be greater than 0" }],
    ["a quantity below 0", { itemId: "a", quantity: -1 }, { "#/quantity": "must be greater than 0" }],
    ["a quantity as a string", { itemId: "a", quantity: "2" }, { "#/quantity": "must be a number" }],
    ["half a quantity", { itemId: "a", quantity: 1.5 }, { "#/quantity": WHOLE }],
    ["a quantity beyond the safe integers", { itemId: "a", quantity: 2 ** 53 }, { "#/quantity": WHOLE }],
    ["an empty itemId", { itemId: "", quantity: 1 }, { "#/itemId": "must not be empty" }],
    [
      "a long itemId",
      { itemId: "x".repeat(256), quantity: 1 },
      { "#/itemId": "must have at most 255 characters" },
    ],
    [
      "NUL in itemId",
      { itemId: "a\u0000", quantity: 1 },
      { "#/itemId": "must not contain the character NUL" },
    ],
    ["itemId of null", { itemId: null, quantity: 1 }, { "#/itemId": "must be a string" }],
    [
      "two unknown members",
      { itemId: "a", quantity: 1, colour: 1, "a/b": 2 },
      { "#/colour": UNKNOWN, "#/a~1b": UNKNOWN },
    ],
    ["an array", [], { "#": ORDER }],
    ["null", null, { "#": ORDER }],
  ])("with %s is refused with every violation and its location", (_, value, violations) => {
    const expected = Object.entries(violations).map(([pointer, detail]) => ({ pointer, detail }));
    expect(violationsOf(value)).toEqual(expected);
  });

  it("is refused in the words of this package in every language of zod", () => {
    z.config(z.locales.de());
    try {
      expect(violationsOf({ quantity: "2" })).toEqual([
        { pointer: "#/itemId", detail: "is required" },
        { pointer: "#/quantity", detail: "must be a number" },
      ]);
    } finally {
      z.config(z.locales.en());
    }
  });

  it("has the JSON Schema that full zod generates for it", () => {
    const full = z.strictObject({ itemId: z.string().min(1).max(255), quantity: z.int().positive() });
    expect(jsonSchema).toEqual(z.toJSONSchema(full));
  });
});
