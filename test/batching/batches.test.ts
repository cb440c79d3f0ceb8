import { describe, expect, it } from "vitest";
import { coalesce } from "../../src/batching/batches.js";
import { signalOf } from "../support/worker-stage.js";

/** Flushed batches, each held back until it is released. */
function heldFlush() {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const flush = async (items: readonly number[]): Promise<number[]> => {
    batches.push(items);
    const gate = signalOf();
    gates.push(gate.resolve);
    await gate.promise;
    return items.map((item) => item * 10);
  };
  const flushed = async (count: number): Promise<void> => {
    while (gates.length < count) await Promise.resolve();
  };
  /** Releases the nth batch. */
  const release = async (nth: number): Promise<void> => {
    await flushed(nth);
    gates[nth - 1]?.();
  };
  return { batches, flush, flushed, release };
}

/** Flushed batches, each done at once. */
function notedFlush() {
  const batches: (readonly number[])[] = [];
  const flush = async (items: readonly number[]): Promise<readonly number[]> => {
    batches.push(items);
    return items;
  };
  return { batches, flush };
}

describe("coalesced calls", () => {
  it("that arrive during a flush form the next batch and get their own results", async () => {
    const { batches, flush, flushed, release } = heldFlush();
    const add = coalesce({ flush, maxBatch: 10, maxWaiting: 100 });
    const first = add(1);
    await flushed(1);
    const others = [add(2), add(3)];
    await release(1);
    expect(await first).toBe(10);
    await release(2);
    expect(await Promise.all(others)).toEqual([20, 30]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("go out in batches of at most the given size", async () => {
    const { batches, flush } = notedFlush();
    const add = coalesce({ flush, maxBatch: 4, maxWaiting: 100 });
    await Promise.all(Array.from({ length: 10 }, (_, n) => add(n)));
    expect(batches.map(({ length }) => length)).toEqual([4, 4, 2]);
  });

  it("beyond the limit are refused, without affecting the others", async () => {
    const { flush, flushed, release } = heldFlush();
    const add = coalesce({ flush, maxBatch: 1, maxWaiting: 2 });
    const first = add(1);
    await flushed(1);
    const waiting = [add(2), add(3)];
    await expect(add(4)).rejects.toMatchObject({ code: "OVERLOADED" });
    for (const nth of [1, 2, 3]) await release(nth);
    expect(await Promise.all([first, ...waiting])).toEqual([10, 20, 30]);
  });

  it("fail with their own flush and with no other", async () => {
    let calls = 0;
    const add = coalesce<number, number>({
      flush: async (items) => {
        calls += 1;
        if (calls === 1) throw new Error("down");
        return items;
      },
      maxBatch: 1,
      maxWaiting: 10,
    });
    const outcomes = await Promise.allSettled([add(1), add(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  });

  it("are flushed in at most as many concurrent batches as allowed", async () => {
    const { batches, flush, flushed, release } = heldFlush();
    const add = coalesce({ flush, maxBatch: 2, maxWaiting: 100, inFlight: 2 });
    const added = [1, 2, 3, 4, 5, 6].map(add);
    await flushed(2);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    // The second flush ends before the first, and a waiting batch takes its place.
    await release(2);
    expect(await added[2]).toBe(30);
    await release(3);
    expect(await added[5]).toBe(60);
    await release(1);
    expect(await Promise.all(added)).toEqual([10, 20, 30, 40, 50, 60]);
  });

  it("that arrive when a flush has just ended are flushed too", async () => {
    const add = coalesce({ flush: notedFlush().flush, maxBatch: 10, maxWaiting: 10 });
    for (let turn = 0; turn < 10; turn += 1) {
      const first = add(turn);
      for (let microtask = 0; microtask < turn; microtask += 1) await undefined;
      expect(await Promise.all([first, add(turn + 1)])).toEqual([turn, turn + 1]);
    }
  });

  it("are flushed in batches of the chosen size", async () => {
    const { batches, flush } = notedFlush();
    const add = coalesce({ flush, maxBatch: 10, maxWaiting: 10, sizeOf: ([first = 1]) => first });
    await Promise.all([2, 7, 1, 3, 7, 7].map(add));
    expect(batches).toEqual([[2, 7], [1], [3, 7, 7]]);
  });
});
