import { printRateGoals, printRates } from "../../postgres/report.mjs";
import { median, printRows } from "../../report.mjs";
import { inRounds } from "../../rounds.mjs";
import { liteque, onPostgres, onSqlite, plainjob, rawInsert, sameRow } from "../variants.mjs";

const subjects = [rawInsert, sameRow, onSqlite, onPostgres, plainjob, liteque];
const levels = [
  { clients: 1, goals: [{ goal: "G13", of: onSqlite.name, to: sameRow.name, atLeast: 0.85 }] },
  { clients: 32, goals: [{ goal: "G13", of: onSqlite.name, to: onPostgres.name, atLeast: 1.2 }] },
  { clients: 128, goals: [] },
];

/** G13: throughput of accepting. Every accepted operation is on disk when the call returns. */
export async function accept({ rounds, seed, seconds, withVariants }) {
  await withVariants(subjects, async (opened) => {
    const sample = (clients) => (variant) => variant.call("accept", { clients, seconds, watchLoop: true });
    await inRounds(opened, { rounds: 1, seed }, sample(32)); // warm-up
    for (const { clients, goals } of levels) {
      const samples = await inRounds(opened, { rounds, seed }, sample(clients));
      printRates(`accept, ${clients} clients`, samples, rawInsert.name);
      printRateGoals(goals, samples);
      printBlocks(samples);
    }
  });
}

/** The peers call SQLite directly, so their loops block the event loop for the whole sample. */
function printBlocks(samples) {
  const longest = (name) => median(samples.get(name).map(({ longestBlockMs }) => longestBlockMs));
  printRows([
    ["variant", "longest block of the event loop, ms"],
    ...[onSqlite, onPostgres].map(({ name }) => [name, longest(name).toFixed(1)]),
  ]);
}
