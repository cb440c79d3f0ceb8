import { describe, expect, it } from "vitest";
import { effort, FIRST_SEED } from "../../support/effort.js";
import { fuzz } from "./fuzz.js";
import { heapGrowth, MAX_GROWTH } from "./heap.js";
import { subjects } from "./subjects.js";

const seed = Number(process.env.FUZZ_SEED ?? FIRST_SEED);
const count = Number(process.env.FUZZ_COUNT ?? effort(300, 8_000, 200_000));

describe(`${count} mutated bodies, starting with seed ${seed}`, () => {
  it.each(subjects)("get correct replies and leave nothing in memory: $name", async (subject) => {
    const heaps: number[] = [];
    for await (const { heapBytes } of fuzz(subject, { seed, from: 0, to: count })) heaps.push(heapBytes);
    expect(heapGrowth(heaps)).toBeLessThan(MAX_GROWTH);
  });
});
