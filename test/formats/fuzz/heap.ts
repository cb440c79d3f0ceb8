/** How much a heap may grow from one third of a run to the next. Measured without a leak: at most 0.2 MB. */
export const MAX_GROWTH = 2_000_000;

/**
 * Returns by how many bytes a heap grew: the median of the last third of the measurements minus that of the second third. The
 * first third does not count, because the engine is still compiling. Medians, because single measurements jump. Returns 0 if
 * there are too few measurements.
 */
export function heapGrowth(heaps: readonly number[]): number {
  const third = Math.floor(heaps.length / 3);
  if (third < 3) return 0;
  return median(heaps.slice(-third)) - median(heaps.slice(-2 * third, -third));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
