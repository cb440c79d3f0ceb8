import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { isInstalled, LOAD_CORE, spawnOn } from "./child.mjs";

const CONNECTIONS = 32;

/** Which program makes the load: wrk costs so little that it keeps up with any server here. */
export const loader = isInstalled("wrk") ? "wrk" : "autocannon";

/**
 * Loads a server for some seconds: reads `path`, or posts orders when there is none. Every post has a key of its own.
 * Throws unless every reply was a success.
 */
export async function load(origin, { path, seconds }) {
  const figures = JSON.parse(await run(loader === "wrk" ? wrk : autocannon, { origin, path, seconds }));
  if (figures.failed > 0 || figures.requests === 0) {
    throw new Error(`${figures.failed} of ${figures.requests} requests failed`);
  }
  return figures;
}

function wrk({ origin, path, seconds }) {
  const script = fileURLToPath(new URL("load.lua", import.meta.url));
  const seed = String(randomInt(2 ** 47));
  const options = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script];
  return ["wrk", ...options, origin, "--", seed, ...(path === undefined ? [] : [path])];
}

function autocannon({ origin, path, seconds }) {
  const script = fileURLToPath(new URL("autocannon.mjs", import.meta.url));
  return [process.execPath, script, JSON.stringify({ origin, path, seconds, connections: CONNECTIONS })];
}

/** The last line of what a loader prints is its figures. */
async function run(toCommand, request) {
  const child = spawnOn(LOAD_CORE, toCommand(request), { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  return output.trimEnd().split("\n").at(-1);
}
