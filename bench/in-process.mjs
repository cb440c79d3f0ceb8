import { sampleChild } from "./child.mjs";
import { handlers } from "./handlers.mjs";
import { createConfigurationPrinter } from "./print-configurations.mjs";
import { printGoals, printTable } from "./report.mjs";
import { inRounds } from "./rounds.mjs";
import { strictJson } from "./strict-json.mjs";

/** The benchmarks without sockets, by goal. Each returns its tables. */
export const inProcessBenches = { G4: handlers, G5: strictJson };

const printConfigurations = createConfigurationPrinter("Without sockets");

export async function runInProcessBench(goal, { rounds }) {
  for (const { title, subjects, goals } of await inProcessBenches[goal]()) {
    const sample = ({ name }) =>
      sampleChild(new URL("in-process-sample.mjs", import.meta.url), [goal, title, name]);
    const samples = await inRounds(subjects, { rounds }, sample);
    printConfigurations(subjects);
    printTable(title, samples);
    printGoals(goals, samples);
  }
}
