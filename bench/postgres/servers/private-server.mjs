import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** A port of the loopback interface that nobody listened on a moment ago. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Starts the program of a server and waits until it says that it is ready. It is stopped with this process at the latest. */
export async function startProgram(program, args, { ready, ...options }) {
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const kill = () => server.kill("SIGQUIT");
  // Before its folder is removed, which is done at the same moment.
  process.prependOnceListener("exit", kill);
  await new Promise((resolve, reject) => {
    let said = "";
    const onData = (text) => {
      said += text;
      if (said.includes(ready)) resolve();
    };
    // Read to the end: a server whose output nobody takes comes to a stop.
    for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", onData);
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`${program} ended before it was ready: ${said}`)));
  });
  return {
    pid: server.pid,
    stop: async () => {
      process.off("exit", kill);
      server.kill("SIGINT");
      await once(server, "exit");
    },
  };
}

/** A folder that is removed with this process at the latest. A server that is just ending may still write into it. */
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

/** User and system time of a process, of those that it has started, and of those of them that have ended. */
export function cpuUsOf(pid) {
  const ended = timesOf(pid).reduce((sum, ticks) => sum + ticks);
  const running = childrenOf(pid).map((child) =>
    timesOf(child)
      .slice(0, 2)
      .reduce((sum, ticks) => sum + ticks),
  );
  return running.reduce((sum, ticks) => sum + ticks, ended) * TICK_US;
}

/** `utime`, `stime`, `cutime`, `cstime`; see proc(5). A process that has just ended is counted with its parent. */
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
