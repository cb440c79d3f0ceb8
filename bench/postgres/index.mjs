// Compares the Postgres back end with its peers: `npm run bench:postgres`, or `npm run bench:postgres -- accept queue` for
// some sections only. More rounds and longer samples give more certain results: BENCH_ROUNDS (default: 5) and BENCH_SECONDS
// (per sample, default: 1). BENCH_SEED (default: 1) sets the order within the rounds. BENCH_VARIANTS="product,raw INSERT" limits
// accept and queue to these variants.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 1);
const seed = Number(process.env.BENCH_SEED ?? 1);

installPeers();
// Imported here because they need the peers.
const { accept } = await import("./sections/accept.mjs");
const { growth } = await import("./sections/growth.mjs");
const { latency } = await import("./sections/latency.mjs");
const { layouts } = await import("./sections/layouts.mjs");
const { queue } = await import("./sections/queue.mjs");
const { stats } = await import("./sections/stats.mjs");
const { startBed } = await import("./bed.mjs");

const sections = { accept, queue, latency, growth, layouts, stats };
const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sections);
const unknown = asked.find((name) => !(name in sections));
if (unknown !== undefined) {
  throw new Error(`Unknown section "${unknown}". Known sections: ${Object.keys(sections).join(", ")}.`);
}

// Without this, a signal would leave the servers and their files behind.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const bed = await startBed();
console.log(`Node ${process.version}, ${availableParallelism()} cores (${cpus()[0].model}).`);
for (const line of bed.description) console.log(line);
console.log(`${rounds} rounds of ${seconds} s samples. CPU: user and system time of Node and the servers.`);
console.log("Ratios compare speeds within a round: median (min-max).");
try {
  for (const name of asked) await sections[name]({ rounds, seconds, seed, ...bed });
} finally {
  await bed.stop();
}

function installPeers() {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  if (existsSync(`${folder}node_modules`)) return;
  const { status } = spawnSync("npm", ["ci", "--prefix", folder], { stdio: "inherit" });
  if (status !== 0)
    throw new Error("The peers could not be installed. Run `npm ci --prefix bench/postgres` to see why.");
}
