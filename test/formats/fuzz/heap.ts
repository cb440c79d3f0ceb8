/** What a heap may grow by from one third of a run to the next. Without a leak it was measured to grow by 0.2 MB at most. */
export const MAX_GROWTH = 2_000_000;

/**
 * By how many bytes a heap grew: the median of the last third of the measurements over that of the third before. The first
 * third is left out, while the engine is still compiling; medians, because single measurements jump. Too few measurements
 * say nothing: 0.
 */
export function heapGrowth(heaps: readonly number[]): number {
  const third = Math.floor(heaps.length / 3);
  if (third < 3) return 0;
  return median(heaps.slice(-third)) - median(heaps.slice(-2 * third, -third));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
