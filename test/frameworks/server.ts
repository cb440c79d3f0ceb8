import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { programOf, type Runtime } from "../runtimes/matrix.js";
import { collectLines } from "../support/lines.js";

/** A server that runs as its own process. */
export interface Server {
  readonly folder: string;
  readonly port: number;
  /** Sends a request with the token of the pages, unless the fields have another. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends SIGTERM. */
  terminate(): void;
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | string>;
  /** Kills the process if it still runs. */
  kill(): Promise<void>;
}

/** The folder, the port and the environment of a server. */
interface Place extends Pick<Server, "folder" | "port"> {
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** The token that all pages accept. */
export const authorization = "Bearer demo-token";

const STARTING_MS = 60_000;

/** Starts a program and waits until it listens on the port. */
export async function startServer(
  runtime: Runtime,
  args: readonly string[],
  { folder, port, variables = {} }: Place,
): Promise<Server> {
  const child = spawn(programOf(runtime), args, {
    cwd: folder,
    // Some programs read the port from the environment. For others it is in a file.
    env: { PATH: process.env.PATH, HOME: folder, PORT: String(port), NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    // A program may start others, which end with it.
    detached: true,
  });
  const streams = [collectLines(child.stdout), collectLines(child.stderr)];
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  const end = Date.now() + STARTING_MS;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || Date.now() > end)
      throw new Error(
        `Nothing listens on port ${port}:\n${streams.flatMap((lines) => lines.all()).join("\n")}`,
      );
    await sleep(50);
  }
  return {
    folder,
    port,
    fetch: (path, init = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization, ...init.headers } }),
    terminate: () => child.kill("SIGTERM"),
    ended,
    kill: async () => {
      try {
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // All have ended.
      }
      await ended;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
