import { createManualClock, type ManualClock } from "async-request-reply/testing";
import { describe, expect, it } from "vitest";

/** Builds tasks that record their name and the time at which they ran. */
function noting(clock: ManualClock) {
  const start = clock.now();
  const noted: [string, number][] = [];
  const note = (name: string, delayMs: number): (() => void) =>
    clock.schedule(delayMs, () => noted.push([name, clock.now() - start]));
  return { noted, note };
}

describe("a manual clock", () => {
  it("stands still until it is moved", async () => {
    const clock = createManualClock(1_000);
    expect(clock.now()).toBe(1_000);
    await clock.advance(0);
    expect(clock.now()).toBe(1_000);
    await clock.advance(250);
    expect(clock.now()).toBe(1_250);
  });

  it("starts at a realistic time", () => {
    expect(new Date(createManualClock().now()).getUTCFullYear()).toBe(2026);
  });

  it("runs tasks at their times, and tasks of the same time in order of scheduling", async () => {
    const clock = createManualClock();
    const { noted, note } = noting(clock);
    note("c", 30);
    note("a", 10);
    note("b1", 20);
    note("b2", 20);
    note("late", 31);
    await clock.advance(30);
    expect(noted).toEqual([
      ["a", 10],
      ["b1", 20],
      ["b2", 20],
      ["c", 30],
    ]);
    await clock.advance(1);
    expect(noted.at(-1)).toEqual(["late", 31]);
  });

  it("runs tasks that are scheduled on the way and treats negative delays as 0", async () => {
    const clock = createManualClock();
    const { noted, note } = noting(clock);
    clock.schedule(10, () => {
      note("at once", 0);
      note("past", -5);
      note("inside", 10);
      note("outside", 91);
    });
    await clock.advance(100);
    expect(noted).toEqual([
      ["at once", 10],
      ["past", 10],
      ["inside", 20],
    ]);
  });

  it("settles all chained promises between two tasks", async () => {
    const clock = createManualClock();
    const order: string[] = [];
    clock.schedule(10, () => {
      void (async () => {
        for (let step = 0; step < 100; step += 1) await Promise.resolve();
        order.push(`promises at ${clock.now()}`);
      })();
    });
    clock.schedule(11, () => order.push("the next task"));
    const start = clock.now();
    await clock.advance(20);
    expect(order).toEqual([`promises at ${start + 10}`, "the next task"]);
  });

  it("lets code that is already running schedule tasks before it moves", async () => {
    const clock = createManualClock();
    const { noted, note } = noting(clock);
    void (async () => {
      for (let step = 0; step < 100; step += 1) await Promise.resolve();
      note("a", 10);
    })();
    await clock.advance(10);
    expect(noted).toEqual([["a", 10]]);
  });

  it("does not run a cancelled task, even if a task of the same time cancels it", async () => {
    const clock = createManualClock();
    const { noted, note } = noting(clock);
    note("never", 5)();
    clock.schedule(10, () => cancel());
    const cancel = note("cancelled", 10);
    await clock.advance(10);
    cancel();
    await clock.advance(10);
    expect(noted).toEqual([]);
  });

  it("adds up concurrent moves", async () => {
    const clock = createManualClock();
    const start = clock.now();
    const { noted, note } = noting(clock);
    note("a", 15);
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(clock.now()).toBe(start + 20);
    expect(noted).toEqual([["a", 15]]);
  });

  it("rejects with the error of a task, stops at its time and can be moved again", async () => {
    const clock = createManualClock();
    const start = clock.now();
    const { noted, note } = noting(clock);
    clock.schedule(10, () => {
      throw new Error("a task failed");
    });
    note("a", 15);
    await expect(clock.advance(20)).rejects.toThrow("a task failed");
    expect(clock.now()).toBe(start + 10);
    await clock.advance(10);
    expect(noted).toEqual([["a", 15]]);
  });

  it("jumps forward and back without changing when tasks run", async () => {
    const clock = createManualClock();
    const start = clock.now();
    const { noted, note } = noting(clock);
    note("a", 10);
    await clock.jump(1_000);
    expect(clock.now()).toBe(start + 1_000);
    expect(noted).toEqual([]);
    await clock.advance(9);
    await clock.jump(-5_000);
    expect(noted).toEqual([]);
    await clock.advance(1);
    expect(noted).toEqual([["a", 1_000 + 10 - 5_000]]);
    expect(clock.elapsed()).toBe(10);
  });

  it("jumps after earlier moves", async () => {
    const clock = createManualClock();
    const { noted, note } = noting(clock);
    note("a", 15);
    await Promise.all([clock.advance(10), clock.jump(-100), clock.advance(10)]);
    expect(noted).toEqual([["a", 15 - 100]]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses to jump by %s", async (ms) => {
    await expect(createManualClock().jump(ms)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuses to move by %s", async (ms) => {
    await expect(createManualClock().advance(ms)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
