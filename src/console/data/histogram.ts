/** Each limit is 12 % above the previous one: 1 ms, 1.12 ms, … about 100 days. */
const GROWTH = 1.12;
const BUCKETS = 203;

/** Counts of durations by their size. Merging is adding. */
export type Histogram = Uint32Array;

/** Creates an empty histogram. */
export function createHistogram(): Histogram {
  return new Uint32Array(BUCKETS);
}

/** Counts a duration. Milliseconds. */
export function count(histogram: Histogram, ms: number): void {
  const bucket = ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(GROWTH));
  const index = Math.min(bucket, BUCKETS - 1);
  histogram[index] = (histogram[index] ?? 0) + 1;
}

/** Adds the counts of one histogram to another. */
export function add(histogram: Histogram, other: Histogram): void {
  for (const [index, value] of other.entries()) histogram[index] = (histogram[index] ?? 0) + value;
}

/** Returns a duration that this share of the counted ones did not exceed, or 0 for an empty histogram. Milliseconds. */
export function quantile(histogram: Histogram, share: number): number {
  const total = histogram.reduce((sum, value) => sum + value, 0);
  let below = 0;
  for (const [index, value] of histogram.entries()) {
    below += value;
    if (value > 0 && below >= share * total) return Math.round(GROWTH ** index);
  }
  return 0;
}
