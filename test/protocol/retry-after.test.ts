import type { Operation } from "async-request-reply/ports";
import { describe, expect, it } from "vitest";
import { createRetryAfterEstimate, type RetryAfterEstimate } from "../../src/protocol/retry-after.js";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const order = (id: string | number) => ({ id: `${id}`, definition: "orders" });

/** Accepts operations one after the other and ends each after `tookMs`. Returns the time afterwards. */
function take(estimate: RetryAfterEstimate, tookMs: number, count: number, startMs = 0): number {
  let now = startMs;
  for (let index = 0; index < count; index += 1) {
    estimate.accepted(order(`${tookMs} ${index}`), now);
    now += tookMs;
    estimate.ended(order(`${tookMs} ${index}`), now);
  }
  return now;
}

describe("Retry-After", () => {
  it("is 1 second until operations have ended", () => {
    const estimate = createRetryAfterEstimate();
    expect(estimate.accepted(order(1), 0)).toBe(1);
    expect(estimate.pending(order(2), 0)).toBe(1);
  });

  it("is the rest of the time that such operations took", () => {
    const estimate = createRetryAfterEstimate();
    const now = take(estimate, 20 * SECOND_MS, 50);
    expect(estimate.accepted(order("new"), now)).toBe(20);
    expect(estimate.pending(order("new"), now + 15_500)).toBe(5);
    expect(estimate.accepted({ id: "1", definition: "reports" }, now)).toBe(1);
  });

  it("grows again for operations that take longer than usual", () => {
    const estimate = createRetryAfterEstimate();
    estimate.accepted(order(1), 0);
    expect(estimate.pending(order(1), 10_000)).toBe(5);
  });

  it("is half of the usual time if the age is unknown, and grows from there", () => {
    const estimate = createRetryAfterEstimate();
    const now = take(estimate, 20 * SECOND_MS, 50);
    expect(estimate.pending(order("unknown"), now)).toBe(10);
    expect(estimate.pending(order("unknown"), now + 10_000)).toBe(15);
  });

  it("stays between 1 and 60 seconds", () => {
    const estimate = createRetryAfterEstimate();
    const now = take(estimate, HOUR_MS, 50);
    expect(estimate.accepted(order("new"), now)).toBe(60);
    expect(estimate.pending(order("new"), now + 100 * HOUR_MS)).toBe(60);
    take(estimate, 1, 100, now);
    expect(estimate.accepted(order("quick"), now)).toBe(1);
  });

  it("follows the latest operations", () => {
    const estimate = createRetryAfterEstimate();
    const now = take(estimate, SECOND_MS, 30);
    take(estimate, 30 * SECOND_MS, 30, now);
    expect(estimate.accepted(order("new"), now)).toBe(30);
  });

  it.each([
    ["slow", 60 * 24 * HOUR_MS, 4],
    ["fast", 0, 10],
  ])("hardly changes because of one operation that was very %s", (_, tookMs, expected) => {
    const estimate = createRetryAfterEstimate();
    const usual = tookMs === 0 ? 20 * SECOND_MS : SECOND_MS;
    const now = take(estimate, usual, 50);
    take(estimate, tookMs, 1, now);
    expect(estimate.accepted(order("new"), now)).toBe(expected);
  });

  it("counts an operation once, and only if it has seen it pending", () => {
    const estimate = createRetryAfterEstimate();
    const slow = { createdAt: 0, settledAt: HOUR_MS } as Operation;
    for (let count = 0; count < 50; count += 1) {
      estimate.readEnded({ ...slow, ...order("old") });
      estimate.ended(order("old"), HOUR_MS);
    }
    expect(estimate.accepted(order(1), 0)).toBe(1);
    for (let count = 0; count < 50; count += 1) {
      estimate.readEnded({ ...slow, ...order(1) });
      estimate.ended(order(1), HOUR_MS);
    }
    expect(estimate.accepted(order("new"), 0)).toBe(4);
  });

  it("never treats an operation as younger than new after the clock was set back", () => {
    const estimate = createRetryAfterEstimate();
    estimate.accepted(order(1), HOUR_MS);
    expect(estimate.pending(order(1), 0)).toBe(1);
    estimate.ended(order(1), 0);
    expect(estimate.accepted(order(2), 0)).toBe(1);
  });

  it("weighs fast and slow operations equally if more are waiting than it can track", () => {
    const estimate = createRetryAfterEstimate();
    const slow = new Set<number>();
    const seen: number[] = [];
    // A thousand per second, half of which take 1 second and half 100 seconds, so 50,000 are waiting.
    for (let now = 0, random = 1; now < 600_000; now += 1) {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
      if (random < 2 ** 30) slow.add(now);
      if (!slow.has(now - SECOND_MS)) estimate.ended(order(now - SECOND_MS), now);
      if (slow.delete(now - 100 * SECOND_MS)) estimate.ended(order(now - 100 * SECOND_MS), now);
      seen.push(estimate.accepted(order(now), now));
    }
    const [median = 0] = seen
      .slice(300_000)
      .sort((a, b) => a - b)
      .slice(150_000);
    // Between 1 and 60, and neither of the two.
    expect(Math.round(median / 10)).toBe(1);
  });

  it("tracks new operations although many others never ended here", () => {
    const estimate = createRetryAfterEstimate();
    for (let index = 0; index < 100_000; index += 1) estimate.accepted(order(`lost ${index}`), index);
    expect(estimate.accepted(order("new"), 200_000)).toBe(1);
    estimate.ended(order("new"), 220_000);
    expect(estimate.accepted(order("next"), 220_000)).toBe(2);
  });
});
