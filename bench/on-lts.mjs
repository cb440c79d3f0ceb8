import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Runs this program again on the Node that these folders install, which is the current LTS, and exits. With BENCH_NODE=own, or on
 * a platform for which none is installed, the program goes on with the Node that runs it.
 */
export function continueOnLts(folders) {
  if (process.env.BENCH_NODE === "own") return;
  const binary = folders.map(binaryIn).find((file) => existsSync(file));
  if (binary === undefined) return;
  const { status } = spawnSync(binary, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, BENCH_NODE: "own" },
  });
  process.exit(status ?? 1);
}

function binaryIn(folder) {
  const name = `node-lts-${process.platform}-${process.arch}`;
  return fileURLToPath(new URL(`node_modules/${name}/bin/node`, folder));
}
