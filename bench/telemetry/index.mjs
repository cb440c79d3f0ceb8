// Compares this version with another one, such as the last one without tracing channels. Build that one, and pass its folder:
// `BASELINE=../other npm run bench:telemetry`. BENCH_ROUNDS (default: 9) gives more certain results.
import { fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { printRows } from "../report.mjs";

const rounds = Number(process.env.BENCH_ROUNDS ?? 9);
const own = fileURLToPath(new URL("../..", import.meta.url));
const { BASELINE } = process.env;
if (BASELINE === undefined) throw new Error("Set BASELINE to the folder of a built version to compare with.");

/** Takes a round in a fresh process. Returns the CPU time per operation and its ratio to the baseline, by variant. */
async function takeRound() {
  const child = fork(new URL("round.mjs", import.meta.url), [resolve(BASELINE), own]);
  const [measured] = await once(child, "message");
  return measured;
}

const taken = [];
while (taken.length < rounds) taken.push(await takeRound());

function range(values, digits) {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((at) =>
    sorted[at].toFixed(digits),
  );
  return `${median} (${least}-${most})`;
}

const rows = Object.keys(taken[0]).map((variant) => {
  const of = (figure) => taken.map((round) => round[variant][figure]);
  return [variant, range(of("cpuUs"), 1), range(of("ratio"), 3)];
});
console.log(`Node ${process.version}, ${rounds} rounds. Baseline: ${BASELINE}.`);
console.log("CPU time per operation, from its POST to its end in memory, and its ratio: median (min-max).");
printRows([["variant", "us per operation", "ratio"], ...rows]);
