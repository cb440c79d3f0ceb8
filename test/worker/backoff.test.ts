import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBackoff } from "../../src/worker/backoff.js";

describe("the delay between attempts", () => {
  it("is uniform between 0 and a bound that doubles up to the maximum", () => {
    const longest = createBackoff({}, () => 0.999_999_999);
    expect([1, 2, 3, 4].map(longest)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(longest(20)).toBe(300_000);
    expect(createBackoff({}, () => 0)(5)).toBe(0);
    expect(createBackoff({}, () => 0.5)(1)).toBe(500);
  });

  it("is a whole number within its bounds for any attempt", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const delayMs = createBackoff({ baseMs: 100, maxMs: 5_000 }, () => random)(attempt);
          expect(delayMs).toSatisfy((ms) => Number.isInteger(ms) && ms >= 0 && ms <= 5_000);
        },
      ),
    );
  });
});
