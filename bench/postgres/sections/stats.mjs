import { median, printRows, ratios, spread } from "../../report.mjs";
import { filled } from "../variants.mjs";

/** Numbers of due operations beside a million finished ones. Counting stops at 10,000. */
const BACKLOGS = [0, 1_000, 20_000];
const CLIENTS = 32;

/** How much more than one `get` the counts of a definition cost. Consoles ask for them every few seconds. */
export async function stats({ rounds, seconds, withVariants }) {
  await withVariants([filled.orderedKeys], async ([variant]) => {
    const rows = [["due operations", "get us", "stats us", "wall ratio to one get", "CPU ratio to one get"]];
    let due = 0;
    for (const backlog of BACKLOGS) {
      await variant.call("wal", { clients: CLIENTS, accepts: backlog - due });
      due = backlog;
      await variant.call("stats", { seconds: seconds / 2 }); // warm-up
      const samples = [];
      for (let round = 0; round < rounds; round++) samples.push(await variant.call("stats", { seconds }));
      rows.push(rowOf(backlog, samples));
    }
    console.log("\nstats: counts of one definition, 1 million finished operations, 1 client");
    printRows(rows);
  });
}

function rowOf(backlog, samples) {
  const gets = samples.map(({ get }) => get);
  const counts = samples.map(({ stats }) => stats);
  const us = (values) => median(values.map(({ wallUs }) => wallUs)).toFixed(0);
  const ratioOf = (metric) => spread(ratios(counts, gets, metric));
  return [String(backlog), us(gets), us(counts), ratioOf("wallUs"), ratioOf("cpuUs")];
}
