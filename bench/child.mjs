import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Starts the process of a server on its own core and waits until it listens. */
export async function startServer({ server, retain, build }) {
  const script = fileURLToPath(new URL("serve.mjs", import.meta.url));
  const child = spawnOn(SERVER_CORE, [process.execPath, script, server, retain ? "retain" : "forget"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, NODE_ENV: "production", ...(build && { BENCH_BUILD: build }) },
  });
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(failed)]);
  return {
    origin: `http://127.0.0.1:${Number(line)}`,
    /** Returns the user and system time of the process since it started. Microseconds. */
    async cpuUs() {
      child.send("cpu");
      const [{ cpuUs }] = await once(child, "message");
      return cpuUs;
    },
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Takes a sample in a fresh process, which sends it. */
export async function sampleChild(script, args, build) {
  const child = fork(fileURLToPath(script), args, {
    env: { ...process.env, NODE_ENV: "production", ...(build && { BENCH_BUILD: build }) },
  });
  const [sample] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Error("The process of a sample ended without a result.");
    }),
  ]);
  return sample;
}

/** Runs a command on one core, if the system can pin it, so that server and load do not compete for a core. */
export function spawnOn(core, command, options) {
  const [program, ...args] = isPinned ? ["taskset", "-c", String(core), ...command] : command;
  return spawn(program, args, options);
}

/** Whether server and load each have their own core. */
export const isPinned =
  availableParallelism() > 1 && spawnSync("taskset", ["--version"], { stdio: "ignore" }).error === undefined;

function failed() {
  throw new Error("The server exited before it listened.");
}
