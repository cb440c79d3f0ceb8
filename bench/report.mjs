/** A table of all subjects: what each costs, and how fast it is beside the first one, round by round. */
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
 * One line for each goal. A goal is about the CPU time of `of` beside `to`, or beside the fastest of several: `atLeast` so
 * many times as fast, or `atMost` so many times as dear.
 */
export function printGoals(goals, samples) {
  const rows = goals.map(({ goal, of, to, atLeast, atMost }) => {
    const own = samples.get(of);
    const other = fastest([to].flat().map((name) => samples.get(name)));
    const values = atMost === undefined ? ratios(other, own, "cpuUs") : ratios(own, other, "cpuUs");
    const met = atMost === undefined ? median(values) >= atLeast : median(values) <= atMost;
    const bound = atMost === undefined ? `>= ${atLeast.toFixed(2)} of` : `<= ${atMost.toFixed(2)} x`;
    return [
      goal,
      of,
      `${bound} ${Array.isArray(to) ? "the fastest of these" : to}`,
      spread(values),
      met ? "met" : "missed",
    ];
  });
  printRows([["goal", "variant", "CPU", "measured", ""], ...rows]);
}

/** In each round the sample that cost least. */
function fastest(candidates) {
  return candidates[0].map((_, round) =>
    candidates.map((samples) => samples[round]).reduce((a, b) => (a.cpuUs <= b.cpuUs ? a : b)),
  );
}

/** How many times `own` fits into `base`, round by round. */
export function ratios(base, own, metric) {
  return own.map((sample, round) => base[round][metric] / sample[metric]);
}

/** Median, least and most. */
export function spread(values) {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)];
  return `${middle.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Rows of text as a table. */
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
