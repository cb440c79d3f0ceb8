import { describe, expect, it } from "vitest";
import { createRetryAfterEstimate } from "../../src/core/retry-after.js";

describe("Retry-After", () => {
  it("is 1 second until something was learned", () => {
    expect(createRetryAfterEstimate().seconds("orders", 0)).toBe(1);
  });

  it("is what is left of the time that such operations took", () => {
    const estimate = createRetryAfterEstimate();
    estimate.learn("orders", 20_000);
    expect(estimate.seconds("orders", 0)).toBe(20);
    expect(estimate.seconds("orders", 15_500)).toBe(5);
    expect(estimate.seconds("reports", 0)).toBe(1);
  });

  it("grows again for what takes longer than usual", () => {
    const estimate = createRetryAfterEstimate();
    estimate.learn("orders", 1_000);
    expect(estimate.seconds("orders", 10_000)).toBe(5);
  });

  it("stays between 1 and 60 seconds", () => {
    const estimate = createRetryAfterEstimate();
    estimate.learn("orders", 3_600_000);
    expect(estimate.seconds("orders", 0)).toBe(60);
    estimate.learn("quick", 1);
    expect(estimate.seconds("quick", 0)).toBe(1);
  });

  it("follows the newest operations", () => {
    const estimate = createRetryAfterEstimate();
    for (let n = 0; n < 30; n += 1) estimate.learn("orders", 1_000);
    for (let n = 0; n < 30; n += 1) estimate.learn("orders", 30_000);
    expect(estimate.seconds("orders", 0)).toBeGreaterThan(25);
  });
});
