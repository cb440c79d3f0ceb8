// Compares this package with its peers: `npm run bench`, or `npm run bench -- G1 G5` for some goals only. More rounds and longer
// samples give more certain results: BENCH_ROUNDS (default: 5) and BENCH_SECONDS (per sample of a server, default: 2).
// `npm run bench -- --against DIR` compares this build with the one of another checkout instead (default: 7 rounds).
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { readArguments } from "./against/build.mjs";

const { before, rest } = readArguments();
const rounds = Number(process.env.BENCH_ROUNDS ?? (before === undefined ? 5 : 7));
const seconds = Number(process.env.BENCH_SECONDS ?? 2);

installPeers();
// Imported here because some of them need the peers.
const { serverBenches, runServerBench } = await import("./servers.mjs");
const { inProcessBenches, runInProcessBench } = await import("./in-process.mjs");
const { printHostileBodies } = await import("./hostile-bodies.mjs");
const { printGrowth } = await import("./growth.mjs");
const { printMemory } = await import("./memory.mjs");
const { printSizes } = await import("./sizes.mjs");
const { loader } = await import("./load.mjs");
const { compareInMemory } = await import("./against/in-memory.mjs");

const others = { G12: printSizes, hostile: printHostileBodies, memory: printMemory, growth: printGrowth };
const all = [...Object.keys(serverBenches), ...Object.keys(inProcessBenches), ...Object.keys(others)];
const asked = before === undefined ? (rest.length > 0 ? rest : all) : [];
const unknown = asked.find((goal) => !all.includes(goal));
if (unknown !== undefined) throw new Error(`Unknown goal "${unknown}". Known goals: ${all.join(", ")}.`);

console.log(
  `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0].model}), load from ${loader}.`,
);
console.log(`${rounds} rounds. CPU: user and system time per request or call.`);
if (before === undefined)
  console.log("Ratios compare speeds with the first row, by CPU time within a round: median (min-max).");
else await compareInMemory(before, { rounds, seconds });
for (const goal of asked) {
  if (goal in serverBenches) await runServerBench(serverBenches[goal], { rounds, seconds });
  else if (goal in others) await others[goal]();
  else await runInProcessBench(goal, { rounds });
}

function installPeers() {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  if (existsSync(`${folder}node_modules`)) return;
  const { status } = spawnSync("npm", ["ci", "--prefix", folder], { stdio: "inherit" });
  if (status !== 0)
    throw new Error("The peers could not be installed. Run `npm ci --prefix bench` to see why.");
}
