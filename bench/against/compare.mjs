import { median, printRows, ratios, spread } from "../report.mjs";
import { inRounds } from "../rounds.mjs";

/**
 * Measures two subjects, `before` and `now`, in the same rounds, for each of the measures, and prints what `now` costs relative to
 * `before`. Each measure has a name and a function that takes one sample of a subject.
 */
export async function compare(title, { subjects, measures, rounds, seed }) {
  const rows = [];
  for (const [name, sample] of Object.entries(measures)) {
    const samples = await inRounds(subjects, { rounds, seed }, sample);
    const [before, now] = subjects.map((subject) => samples.get(subject.name));
    const cost = (metric) => (now[0][metric] === undefined ? "-" : spread(ratios(now, before, metric)));
    const cpuUs = (of) => median(of.map((one) => one.cpuUs)).toPrecision(3);
    rows.push([name, cpuUs(before), cpuUs(now), cost("cpuUs"), cost("wallUs"), cost("p99Ms")]);
  }
  console.log(`\n${title}: what this build costs, relative to the other one (1.03: 3 % more)`);
  printRows([["measure", "CPU us before", "now", "CPU now/before", "wall", "p99"], ...rows]);
}
