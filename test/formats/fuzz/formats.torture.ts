import { describe, expect, it } from "vitest";
import { fuzz } from "./fuzz.js";
import { heapGrowth, MAX_GROWTH } from "./heap.js";
import { subjects } from "./subjects.js";

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const to = Number(process.env.FUZZ_COUNT ?? 1_000_000);
/** The body at which to continue an interrupted run: the last number that it printed. */
const from = Number(process.env.FUZZ_FROM ?? 0);

describe(`mutated bodies ${from} to ${to} of seed ${seed}`, () => {
  it.each(subjects)("get correct replies and leave nothing in memory: $name", async (subject) => {
    const heaps: number[] = [];
    for await (const { next, heapBytes } of fuzz(subject, { seed, from, to })) {
      heaps.push(heapBytes);
      if (heaps.length % 50 > 0) continue;
      const megabytes = Math.round(heapBytes / 1e6);
      console.log(`${subject.name}: FUZZ_SEED=${seed} FUZZ_FROM=${next}, ${megabytes} MB in use`);
    }
    expect(heapGrowth(heaps)).toBeLessThan(MAX_GROWTH);
  });
});
