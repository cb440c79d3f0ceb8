import { verdict } from "../postgres/report.mjs";
import { median, printRows, ratios, spread } from "../report.mjs";
import { byHand, onPostgres } from "./variants.mjs";

/** Prints a row for each variant, and the goals: the longest p50 in milliseconds, and the CPU time relative to that by hand. */
export function printOutput(title, samples, { mostMs, mostCpu } = {}) {
  console.log(`\n${title}`);
  const hand = samples.get(byHand.name);
  printRows([
    [
      "variant",
      "p50 ms",
      "p99 ms",
      "CPU us per chunk",
      "CPU ratio to by hand",
      "chunks",
      "late ms",
      "missing",
      "reads",
    ],
    ...[...samples].map(([name, own]) => [
      name,
      spread(own.map(({ p50Ms }) => p50Ms)),
      spread(own.map(({ p99Ms }) => p99Ms)),
      median(own.map(({ cpuUs }) => cpuUs)).toPrecision(3),
      hand === undefined ? "-" : spread(ratios(own, hand, "cpuUs")),
      ...["written", "lateMs", "missing", "reads"].map((figure) => sum(own, figure)),
    ]),
  ]);
  const own = samples.get(onPostgres.name);
  if (mostMs !== undefined && own !== undefined)
    console.log(`p50 <= ${mostMs} ms: ${verdict(median(own.map(({ p50Ms }) => p50Ms)) <= mostMs)}`);
  if (mostCpu !== undefined && own !== undefined && hand !== undefined)
    console.log(`CPU <= ${mostCpu} of by hand: ${verdict(median(ratios(own, hand, "cpuUs")) <= mostCpu)}`);
}

function sum(samples, figure) {
  return samples.reduce((total, sample) => total + sample[figure], 0).toFixed(0);
}
