import { describe, expect, it } from "vitest";
import { deepEqual, equal, isOutcome, ok } from "../../src/testing/expect.js";

describe("the assertions of the suites", () => {
  it("report the expected and the actual value", () => {
    expect(() => ok(false, "it holds")).toThrow(new Error("it holds"));
    expect(() => equal(1, 2, "the sum")).toThrow(new Error("the sum: expected 2, got 1"));
    expect(() => equal(undefined, "a", "the name")).toThrow(
      new Error('the name: expected "a", got undefined'),
    );
    expect(() => deepEqual([1], [2], "the list")).toThrow(new Error("the list: expected [2], got [1]"));
    const result = { outcome: "lost" } as { readonly outcome: "lost" | "settled" };
    expect(() => isOutcome(result, "settled", "settling")).toThrow(
      new Error('settling: expected {"outcome":"settled"}, got {"outcome":"lost"}'),
    );
  });

  it("pass equal values", () => {
    ok(true, "it holds");
    equal(Number.NaN, Number.NaN, "NaN");
    deepEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, "nested members");
    deepEqual({ b: 2, a: 1 }, { a: 1, b: 2 }, "members in another order");
    deepEqual({ a: 1, b: undefined }, { a: 1 }, "an undefined member");
    deepEqual({ a: 1 }, { a: 1, constructor: undefined }, "an undefined member with a known name");
    expect(isOutcome({ outcome: "busy" }, "busy", "beginning")).toEqual({ outcome: "busy" });
  });

  it.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [[1], [1, 2]],
    [[], {}],
    [{}, undefined],
    [null, {}],
    ["1", 1],
    [{}, { constructor: 1 }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ])("tell %j from %j", (actual, expected) => {
    expect(() => deepEqual(actual, expected, "the value")).toThrow("the value: expected");
  });
});
