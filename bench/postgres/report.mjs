import { median, printRows, ratios, spread } from "../report.mjs";

/** Prints the throughput and CPU time of each variant, and its speed relative to the base, or else to the first variant. */
export function printRates(title, samples, wanted) {
  console.log(`\n${title}`);
  const [first] = samples.keys();
  const base = samples.has(wanted) ? wanted : first;
  const baseSamples = samples.get(base);
  printRows([
    ["variant", "per second", `wall ratio to ${base}`, "CPU us", "CPU ratio", "p99 ms"],
    ...[...samples].map(([name, own]) => [
      name,
      (1e6 / median(own.map(({ wallUs }) => wallUs))).toFixed(0),
      spread(ratios(baseSamples, own, "wallUs")),
      median(own.map(({ cpuUs }) => cpuUs)).toFixed(0),
      spread(ratios(baseSamples, own, "cpuUs")),
      own[0].p99Ms === undefined ? "-" : median(own.map(({ p99Ms }) => p99Ms)).toFixed(1),
    ]),
  ]);
}

/**
 * Prints one line per goal: `of` must be at least `atLeast` times as fast as `to`. The CPU ratio is steadier but does not count
 * waiting for the disk.
 */
export function printRateGoals(goals, samples) {
  const rows = goals
    .filter(({ of, to }) => samples.has(of) && samples.has(to))
    .map(({ goal, of, to, atLeast }) => {
      const [own, other] = [samples.get(of), samples.get(to)];
      const values = ratios(other, own, "wallUs");
      const bound = `>= ${atLeast.toFixed(2)} of ${to}`;
      return [
        goal,
        of,
        bound,
        spread(values),
        spread(ratios(other, own, "cpuUs")),
        verdict(median(values) >= atLeast),
      ];
    });
  if (rows.length > 0) printRows([["goal", "variant", "wall", "measured", "CPU", ""], ...rows]);
}

/** Prints how much room the parts of a store with this many operations take. */
export function printSizes(title, parts, operations) {
  console.log(`\n${title}`);
  const whole = { name: "all", bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
  printRows([
    ["part", "MB", "bytes per operation"],
    ...[...parts, whole].map(({ name, bytes }) => [
      name,
      (bytes / 1e6).toFixed(0),
      (bytes / operations).toFixed(0),
    ]),
  ]);
}

export function verdict(met) {
  return met ? "met" : "missed";
}

/** Returns the value that this share of the values is below. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
