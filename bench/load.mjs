import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { isPinned, LOAD_CORE, spawnOn } from "./child.mjs";

const CONNECTIONS = 32;

/** `BENCH_LOADER=wrk` uses wrk instead, if it is installed. loader.mjs explains what that costs the servers. */
export const loader = process.env.BENCH_LOADER ?? "loader.mjs";

/**
 * Puts load on a server for some seconds: reads `path` or, without one, submits orders, each with a new key. Throws unless every
 * reply is a success.
 */
export async function load(origin, { path, seconds }) {
  const toCommand = loader === "wrk" ? wrk : ownLoader;
  const figures = JSON.parse(await run(toCommand({ origin, path, seconds })));
  if (figures.failed > 0 || figures.requests === 0) {
    throw new Error(`${figures.failed} of ${figures.requests} requests failed`);
  }
  return figures;
}

function ownLoader({ origin, path, seconds }) {
  const script = fileURLToPath(new URL("loader.mjs", import.meta.url));
  // On the server's core, polling would take time from the server.
  const options = { origin, path, seconds, connections: CONNECTIONS, poll: isPinned };
  return [process.execPath, script, JSON.stringify(options)];
}

function wrk({ origin, path, seconds }) {
  const script = fileURLToPath(new URL("load.lua", import.meta.url));
  const seed = String(randomInt(2 ** 47));
  const options = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script];
  return ["wrk", ...options, origin, "--", seed, ...(path === undefined ? [] : [path])];
}

/** Parses the last line that a loader prints. */
async function run(command) {
  const child = spawnOn(LOAD_CORE, command, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of child.stdout) output += chunk;
  return output.trimEnd().split("\n").at(-1);
}
