import { verdict } from "../../postgres/report.mjs";
import { median, medianWithin, printRows } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { countedInMemory, countedOnSqlite } from "../variants.mjs";

const MOST_PERCENT = 1;
const goals = { accept: "an accept", attempt: "an attempt" };

/**
 * The CPU time of the counts by minute. SQLite itself varies by more than 1 %, so the goals compare what they add in memory, where
 * the same code counts, with the time of the step on SQLite.
 */
export async function counts({ rounds, seed, seconds, withVariants }) {
  await withVariants([countedInMemory, countedOnSqlite], async ([memory, sqlite]) => {
    const subjects = [
      { name: "memory", variant: memory, sample: "handle", times: 4 },
      { name: "SQLite", variant: sqlite, sample: "handle", times: 5 },
      { name: "SQLite, in transactions", variant: sqlite, sample: "record", times: 1 },
    ];
    const pairs = ({ variant, sample, times }) => variant.call("pairs", { sample, seconds: seconds * times });
    await inRounds(subjects, { rounds: 1, seed }, pairs); // warm-up
    const samples = await inRounds(subjects, { rounds, seed }, pairs);
    const [inMemory, handled, recorded] = [...samples.values()].map((each) => costsOf(each.flat()));
    const onSqlite = { ...handled, ...recorded };
    console.log("\ncounts: CPU time per operation, medians of pairs (95 % confidence intervals)");
    printRows([
      ["variant", "step", "pairs", "us without counts", "us that they add", "% of the step on SQLite"],
      ...rowsOf(memory.name, inMemory, onSqlite),
      ...rowsOf(sqlite.name, onSqlite, onSqlite),
    ]);
    for (const [step, name] of Object.entries(goals)) {
      const percent = median(percentOf(onSqlite[step], inMemory[step].addedUs));
      console.log(`counts <= ${MOST_PERCENT} % of ${name}: ${verdict(percent <= MOST_PERCENT)}`);
    }
  });
}

/** Returns the cost of each step: without counts, and what they add in each pair. */
function costsOf(pairs) {
  const steps = Object.keys(pairs[0][0]);
  const costOf = (step) => ({
    withoutUs: median(pairs.map(([, without]) => without[step].cpuUs)),
    addedUs: pairs.map(([counted, without]) => counted[step].cpuUs - without[step].cpuUs),
  });
  return Object.fromEntries(steps.map((step) => [step, costOf(step)]));
}

function rowsOf(name, costs, onSqlite) {
  return Object.entries(costs).map(([step, { withoutUs, addedUs }]) => [
    name,
    step,
    String(addedUs.length),
    withoutUs.toFixed(1),
    shown(addedUs),
    shown(percentOf(onSqlite[step], addedUs)),
  ]);
}

function percentOf({ withoutUs }, addedUs) {
  return addedUs.map((us) => (us / withoutUs) * 100);
}

function shown(values) {
  const [middle, least, most] = medianWithin(values).map((value) => value.toFixed(2));
  return `${middle} (${least} to ${most})`;
}
