// Measures the Postgres back end beside its peers: `npm run bench:postgres`, or `npm run bench:postgres -- accept queue` for
// some sections only. BENCH_ROUNDS (5) and BENCH_SECONDS (1, for one sample) trade time for certainty; BENCH_SEED (1) decides
// the order within the rounds. BENCH_VARIANTS="product,raw INSERT" leaves the others out of accept and queue.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 1);
const seed = Number(process.env.BENCH_SEED ?? 1);

installPeers();
// Only now: they import the peers.
const { accept } = await import("./sections/accept.mjs");
const { growth } = await import("./sections/growth.mjs");
const { latency } = await import("./sections/latency.mjs");
const { layouts } = await import("./sections/layouts.mjs");
const { queue } = await import("./sections/queue.mjs");
const { startBed } = await import("./bed.mjs");

const sections = { accept, queue, latency, growth, layouts };
const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sections);
const unknown = asked.find((name) => !(name in sections));
if (unknown !== undefined) {
  throw new Error(`There is no section ${unknown}, only ${Object.keys(sections).join(", ")}.`);
}

// Else nobody would stop the servers and remove what they wrote.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const bed = await startBed();
console.log(`Node ${process.version}, ${availableParallelism()} cores (${cpus()[0].model}).`);
for (const line of bed.description) console.log(line);
console.log(`${rounds} rounds of ${seconds} s samples. CPU is user and system time of Node and the servers.`);
console.log("Ratios are speeds in the same round: median (least-most).");
try {
  for (const name of asked) await sections[name]({ rounds, seconds, seed, ...bed });
} finally {
  await bed.stop();
}

function installPeers() {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  if (existsSync(`${folder}node_modules`)) return;
  const { status } = spawnSync("npm", ["ci", "--prefix", folder], { stdio: "inherit" });
  if (status !== 0) throw new Error("The peers could not be installed.");
}
