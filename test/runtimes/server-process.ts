import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { collectLines } from "../support/lines.js";
import { isSkipped, programOf } from "./matrix.js";
import type { Project } from "./project.js";
import type { ServerProgram } from "./servers.js";

/** A program that serves HTTP. */
export interface ServerProcess {
  readonly baseUrl: string;
  /** Resolves to the URL of another socket of workerd. */
  urlOf(socket: string): Promise<string>;
  /** Sends the signal and resolves to the exit code. */
  stop(signal: "SIGINT" | "SIGTERM"): Promise<number | null>;
  /** Kills the program if it still runs. */
  kill(): Promise<void>;
}

/** Starts a server for a group of tests, unless they are skipped. */
export function useServer(project: () => Project, program: ServerProgram): () => ServerProcess {
  let server: ServerProcess;
  beforeAll(async () => {
    if (!isSkipped(program.runtime)) server = await startServer(project(), program);
  });
  afterAll(() => server?.kill());
  return () => server;
}

/** Limits the life of a server whose test never stops it. */
const LIFETIME_MS = 200_000;

/** Starts a server on a free port and waits until it prints the port. */
export async function startServer(
  project: Project,
  { runtime, args, folder }: Omit<ServerProgram, "name">,
): Promise<ServerProcess> {
  const child = spawn(programOf(runtime), args, {
    cwd: join(project.folder, folder),
    env: { ...project.env, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIFETIME_MS,
    killSignal: "SIGKILL",
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  const streams = [collectLines(child.stdout), collectLines(child.stderr)];
  const urlOf = async (socket: string): Promise<string> => {
    const found = streams.map((lines) => lines.find((text) => portIn(text, socket) !== undefined));
    return `http://127.0.0.1:${portIn(await Promise.any(found), socket)}`;
  };
  return {
    baseUrl: await urlOf("http"),
    urlOf,
    stop: async (signal) => {
      child.kill(signal);
      const [code] = await closed;
      return code;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** Finds the port in `Listening on http://127.0.0.1:4711`, or in the event that workerd writes for a socket. */
function portIn(line: string, socket: string): string | undefined {
  return new RegExp(`http://[\\w.]+:(\\d+)|"socket":"${socket}","port":(\\d+)`)
    .exec(line)
    ?.slice(1)
    .find(Boolean);
}
