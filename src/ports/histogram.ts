/**
 * Counts of durations by bucket. Each limit is 12 % above the previous one: bucket 0 counts durations up to 1 ms, bucket 1 those up to
 * 1.12 ms, … bucket 202 those up to about 100 days and longer ones. Empty buckets are absent.
 */
export type Histogram = Readonly<Record<number, number>>;

/** Number of buckets. */
export const BUCKETS = 203;

const GROWTH = 1.12;
const PER_LOG = 1 / Math.log(GROWTH);

/** Returns the bucket of a duration. Milliseconds. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(Math.ceil(Math.log(ms) * PER_LOG), BUCKETS - 1);
}

/** Returns the histogram that has counted the durations of all of these. */
export function sumOf(histograms: readonly Histogram[]): Histogram {
  const sum: Record<string, number> = {};
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram)) sum[bucket] = (sum[bucket] ?? 0) + count;
  return sum;
}

/**
 * Returns a duration that this share of the counted ones did not exceed, up to 12 % too high. Undefined for an empty histogram.
 * Milliseconds.
 */
export function quantile(histogram: Histogram, share: number): number | undefined {
  const buckets = Object.entries(histogram).sort(([one], [other]) => Number(one) - Number(other));
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of buckets) {
    below += count;
    if (below >= share * total) return Math.round(GROWTH ** Number(bucket));
  }
  return undefined;
}
