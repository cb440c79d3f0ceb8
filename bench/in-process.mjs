import { handlers } from "./handlers.mjs";
import { sampleFunction } from "./measure.mjs";
import { printGoals, printTable } from "./report.mjs";
import { inRounds } from "./rounds.mjs";
import { strictJson } from "./strict-json.mjs";

const SAMPLE_MS = 500;

/** The benchmarks without sockets, by goal. Each returns its tables. */
export const inProcessBenches = { G4: handlers, G5: strictJson };

export async function runInProcessBench(bench, { rounds }) {
  for (const { title, subjects, goals } of await bench()) {
    const samples = await inRounds(subjects, { rounds }, (subject) => sampleFunction(subject, SAMPLE_MS));
    printTable(title, samples);
    printGoals(goals, samples);
  }
}
