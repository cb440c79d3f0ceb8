// Measures the SQLite back end: `npm run bench:sqlite`, or `npm run bench:sqlite -- accept queue` for some sections only.
// BENCH_ROUNDS (default: 5), BENCH_SECONDS (per sample, default: 1), BENCH_CLIENT (default: better-sqlite3),
// BENCH_FOLDER (folder on the disk to measure, default: the current one), BENCH_FINISHED (finished operations of the
// section `growth`, default: 500000) and BENCH_SYNC_MS (adds this time to each commit, like a slow disk, default: 0). With
// DATABASE_URL, the Postgres back end is measured beside it.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";
import { createMeasures } from "./measures.mjs";

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 1);
const client = process.env.BENCH_CLIENT ?? "better-sqlite3";
const finished = Number(process.env.BENCH_FINISHED ?? 500_000);
const syncMs = Number(process.env.BENCH_SYNC_MS ?? 0);

const require = createRequire(new URL("../../test/sqlite/package.json", import.meta.url));
const Database = load();
const postgresUrl = process.env.DATABASE_URL;
const folder = mkdtempSync(join(resolve(process.env.BENCH_FOLDER ?? "."), "bench-sqlite-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const { accept, queue, growth } = createMeasures({
  folder,
  Database,
  seconds,
  finished,
  syncMs,
  postgresUrl,
});
const sections = { accept, queue, growth };
const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sections);
const unknown = asked.find((name) => !(name in sections));
if (unknown !== undefined)
  throw new Error(`Unknown section "${unknown}". Known sections: ${Object.keys(sections).join(", ")}.`);

console.log(`Node ${process.version}, ${availableParallelism()} cores (${cpus()[0].model}), ${client}.`);
console.log(
  `${rounds} rounds of ${seconds} s samples, synchronous = full, ${syncMs} ms added to each commit.`,
);
for (const name of asked) {
  const samples = [];
  for (let round = 0; round < rounds; round += 1) samples.push(await sections[name]());
  for (const label of Object.keys(samples[0])) {
    const values = samples.map((sample) => sample[label]).sort((one, other) => one - other);
    const [least, median, most] = [values[0], values[values.length >> 1], values.at(-1)].map(shown);
    console.log(`${name}: ${label}: ${median} (${least}-${most})`);
  }
}

function shown(value) {
  return value < 100 ? value.toFixed(2) : Math.round(value).toString();
}

function load() {
  try {
    return require(client);
  } catch (cause) {
    throw new Error(`${client} is missing. Run \`npm ci --prefix test/sqlite\`.`, { cause });
  }
}
