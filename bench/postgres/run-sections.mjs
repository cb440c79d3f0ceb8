import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { readArguments } from "../against/build.mjs";
import { continueOnLts } from "../on-lts.mjs";
import { createConfigurationPrinter } from "../print-configurations.mjs";

const ownBed = new URL("bed.mjs", import.meta.url);

/**
 * Installs the peers in these folders, continues on the LTS of Node if they bring it, starts the servers, and runs the sections
 * that the command line names, or all of them. With `--against`, only the section `against` runs. With `ownNode`, it stays on the
 * Node that has installed the peers.
 * `contenders` is the heading of the table that says how the contenders are configured. `sections` resolves to the sections by name.
 * `bed` is the module that starts the servers. Default: Postgres and Redis.
 */
export async function runSections({
  peers,
  contenders,
  sections: load,
  bed: module = ownBed,
  ownNode = false,
}) {
  const { before, rest } = readArguments();
  const rounds = Number(process.env.BENCH_ROUNDS ?? (before === undefined ? 5 : 7));
  const seconds = Number(process.env.BENCH_SECONDS ?? 1);
  const seed = Number(process.env.BENCH_SEED ?? 1);
  for (const folder of peers) installPeers(fileURLToPath(folder));
  if (!ownNode) continueOnLts(peers);
  const { against, ...sections } = await load();
  const { startBed } = await import(module);
  const asked = rest.length > 0 ? rest : Object.keys(sections);
  const unknown = asked.find((name) => !(name in sections));
  if (unknown !== undefined) {
    throw new Error(`Unknown section "${unknown}". Known sections: ${Object.keys(sections).join(", ")}.`);
  }
  // Without this, a signal would leave the servers and their files behind.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  const bed = await startBed();
  console.log(`Node ${process.version}, ${availableParallelism()} cores (${cpus()[0].model}).`);
  for (const line of bed.description) console.log(line);
  console.log(`${rounds} rounds of ${seconds} s samples.`);
  console.log("Ratios compare speeds within a round: median (min-max).");
  try {
    if (before !== undefined) await against({ before, rounds, seconds, seed, ...bed });
    else {
      const withVariants = printingConfigurations(bed.withVariants, createConfigurationPrinter(contenders));
      for (const name of asked) await sections[name]({ rounds, seconds, seed, withVariants });
    }
  } finally {
    await bed.stop();
  }
}

function printingConfigurations(withVariants, print) {
  return (variants, use) =>
    withVariants(variants, (opened) => {
      print(opened);
      return use(opened);
    });
}

function installPeers(folder) {
  if (existsSync(`${folder}node_modules`)) return;
  const { status } = spawnSync("npm", ["ci", "--prefix", folder], { stdio: "inherit" });
  if (status !== 0)
    throw new Error(`The peers could not be installed. Run \`npm ci --prefix ${folder}\` to see why.`);
}
