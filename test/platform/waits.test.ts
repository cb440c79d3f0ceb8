import { createManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";
import { Deadlines } from "../../src/platform/waits.js";

/** Notes how long each call had to wait. */
function createStage(widthMs: number) {
  const clock = createManualClock();
  const deadlines = new Deadlines(clock, widthMs);
  const called: { readonly ms: number; readonly afterMs: number }[] = [];
  const add = (ms: number) => {
    const since = clock.elapsed();
    return deadlines.add(ms, () => called.push({ ms, afterMs: clock.elapsed() - since }));
  };
  return { clock, add, called };
}

describe("calls that share timers", () => {
  it("are made after their time, or up to the width of a timer earlier", async () => {
    const { clock, add, called } = createStage(250);
    for (const ms of [1_000, 1_100, 2_000]) {
      add(ms);
      await clock.advance(77);
    }
    await clock.advance(2_000);
    expect(called.map(({ ms }) => ms)).toEqual([1_000, 1_100, 2_000]);
    for (const { ms, afterMs } of called) {
      expect(afterMs).toBeLessThanOrEqual(ms);
      expect(afterMs).toBeGreaterThan(ms - 250);
    }
  });

  it.each([-15_000, 15_000])("keep their time when the clock is set by %i ms in between", async (jumpMs) => {
    const { clock, add, called } = createStage(250);
    for (const ms of [20_000, 35_000]) add(ms);
    await clock.advance(15_000);
    await clock.jump(jumpMs);
    for (const ms of [5_000, 20_000]) add(ms);
    await clock.advance(40_000);
    expect(called.map(({ ms }) => ms).sort()).toEqual([20_000, 20_000, 35_000, 5_000]);
    for (const { ms, afterMs } of called) {
      expect(afterMs).toBeLessThanOrEqual(ms);
      expect(afterMs).toBeGreaterThan(ms - 250);
    }
  });

  it("are not made once they were cancelled", async () => {
    const { clock, add, called } = createStage(250);
    const [cancelled] = [add(1_000), add(1_000)];
    cancelled?.cancel();
    await clock.advance(1_000);
    expect(called).toHaveLength(1);
  });
});
