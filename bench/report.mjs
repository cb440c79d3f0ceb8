/** Prints a table of all subjects: their cost, and their speed relative to the first one, round by round. */
export function printTable(title, samples) {
  const [[base, baseSamples]] = samples;
  console.log(`\n${title}`);
  printRows([
    ["variant", "CPU us", `CPU ratio to ${base}`, "wall ratio", "p99 ms"],
    ...[...samples].map(([name, own]) => [
      name,
      median(own.map(({ cpuUs }) => cpuUs)).toPrecision(3),
      spread(ratios(baseSamples, own, "cpuUs")),
      spread(ratios(baseSamples, own, "wallUs")),
      own[0].p99Ms === undefined ? "-" : median(own.map(({ p99Ms }) => p99Ms)).toPrecision(3),
    ]),
  ]);
}

/**
 * Prints one line per goal. A goal compares `of` with `to`, or with the fastest of several: at least `atLeast` times as fast, at
 * most `atMost` times the cost, or at most `atMostUs`. It compares CPU time, unless it names another metric.
 */
export function printGoals(goals, samples) {
  const rows = goals.map(({ goal, of, to, metric = "cpuUs", atLeast, atMost, atMostUs }) => {
    const own = samples.get(of);
    const other = to && fastest([to].flat().map((name) => samples.get(name)));
    const limit = atMost ?? atMostUs;
    const values = other === undefined ? own.map((one) => one[metric]) : compared(own, other, metric, limit);
    const met = limit === undefined ? median(values) >= atLeast : median(values) <= limit;
    return [
      goal,
      of,
      boundOf({ to, atLeast, atMost, atMostUs }),
      names[metric],
      spread(values),
      met ? "met" : "missed",
    ];
  });
  printRows([["goal", "variant", "bound", "metric", "measured", ""], ...rows]);
}

const names = { cpuUs: "CPU", p99Ms: "p99" };

function compared(own, other, metric, limit) {
  return limit === undefined ? ratios(other, own, metric) : ratios(own, other, metric);
}

function boundOf({ to, atLeast, atMost, atMostUs }) {
  if (atMostUs !== undefined) return `<= ${atMostUs.toFixed(1)} us`;
  const name = Array.isArray(to) ? "the fastest of these" : to;
  return atMost === undefined ? `>= ${atLeast.toFixed(2)} of ${name}` : `<= ${atMost.toFixed(2)} x ${name}`;
}

/** Returns the cheapest sample of each round. */
function fastest(candidates) {
  return candidates[0].map((_, round) =>
    candidates.map((samples) => samples[round]).reduce((a, b) => (a.cpuUs <= b.cpuUs ? a : b)),
  );
}

/** Returns how many times `own` fits into `base`, round by round. */
export function ratios(base, own, metric) {
  return own.map((sample, round) => base[round][metric] / sample[metric]);
}

/** Formats median, minimum and maximum. */
export function spread(values) {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)];
  return `${middle.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns the median, and the ends of its 95 % confidence interval, which are two of the values. */
export function medianWithin(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2));
  return [median(values), sorted[rank], sorted[sorted.length - 1 - rank]];
}

/** Prints rows of text as a table. */
export function printRows(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    console.log(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd()}`,
    );
  }
}
