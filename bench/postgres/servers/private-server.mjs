import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Returns a port of the loopback interface that was free a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Starts a server program and waits until it prints that it is ready. `stop` sends it `stopSignal`. Default: SIGINT. It stops
 * when this process exits, if not before.
 */
export async function startProgram(program, args, { ready, stopSignal = "SIGINT", ...options }) {
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const kill = () => server.kill("SIGQUIT");
  // Runs before the folder is removed, which also happens at exit.
  process.prependOnceListener("exit", kill);
  await new Promise((resolve, reject) => {
    let output = "";
    const onData = (text) => {
      output += text;
      if (output.includes(ready)) resolve();
    };
    // Keeps reading, because a server blocks when the pipe of its output is full.
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", onData);
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`${program} exited before it was ready: ${output}`)));
  });
  return {
    pid: server.pid,
    stop: async () => {
      process.off("exit", kill);
      server.kill(stopSignal);
      await once(server, "exit");
    },
  };
}

/** Creates a folder that is removed at exit, if not before. A server that is shutting down may still write to it. */
export function temporaryFolder(parent, prefix) {
  const folder = mkdtempSync(join(parent, prefix));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.once("exit", remove);
  return {
    folder,
    remove: () => {
      process.off("exit", remove);
      remove();
    },
  };
}

const TICK_US = 10_000;

/** Returns the user and system time of a process and of its children, including those that have exited. */
export function cpuUsOf(pid) {
  const ended = timesOf(pid).reduce((sum, ticks) => sum + ticks);
  const running = childrenOf(pid).map((child) =>
    timesOf(child)
      .slice(0, 2)
      .reduce((sum, ticks) => sum + ticks),
  );
  return running.reduce((sum, ticks) => sum + ticks, ended) * TICK_US;
}

/** Reads `utime`, `stime`, `cutime` and `cstime`: see proc(5). The parent's times include a process that has just exited. */
function timesOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).map(Number);
  } catch {
    return [0, 0, 0, 0];
  }
}

function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").filter(Boolean);
}
