import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toTimeText } from "../../src/contract/visible-operation.js";
import { effort } from "../support/effort.js";

describe("The text of a time", () => {
  it("is that of the platform for every time that a date can have", () => {
    const anyTime = fc.oneof(
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
      fc.double({ min: 0, max: 4_102_444_800_000, noNaN: true }),
    );
    fc.assert(
      fc.property(anyTime, (ms) => {
        expect(toTimeText(ms)).toBe(new Date(ms).toISOString());
      }),
      { numRuns: effort(1_000, 5_000) },
    );
  });

  it("changes with the day", () => {
    const midnight = Date.UTC(2026, 0, 1);
    expect([midnight - 1, midnight, midnight + 1].map(toTimeText)).toEqual([
      "2025-12-31T23:59:59.999Z",
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T00:00:00.001Z",
    ]);
  });

  it("is refused for no time, also right after one", () => {
    expect(toTimeText(0)).toBe("1970-01-01T00:00:00.000Z");
    expect(() => toTimeText(Number.NaN)).toThrow(RangeError);
    expect(() => toTimeText(Number.NaN)).toThrow(RangeError);
  });
});
