import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { root } from "./built.js";
import { collectLines, type Lines } from "./lines.js";

type Variables = Readonly<Record<string, string>>;
type Child = ChildProcessByStdio<null, Readable, Readable>;

export interface Exit {
  /** Null if the process was killed. */
  readonly code: number | null;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface ServerProcess {
  /** Empty for a process that only runs work. */
  readonly baseUrl: string;
  readonly stdout: Lines;
  readonly stderr: Lines;
  signal(name: "SIGTERM" | "SIGINT"): void;
  /** Sends SIGTERM and waits until the example server has stopped accepting. */
  beginStop(): Promise<void>;
  /** Resolves when the process has ended and its output is complete. */
  readonly exited: Promise<Exit>;
  /** Kills the process if it still runs. */
  kill(): Promise<void>;
}

/** Starts the example server. The caller of the declared tests chooses the back end. */
export type StartServer = (variables?: Variables) => Promise<ServerProcess>;

/** Starts a built example on a free port and waits until it is ready. Its environment has the given variables only. */
export async function startServer(
  variables: Variables = {},
  example: string = "orders-server",
  lifetimeMs: number = LIFETIME_MS,
): Promise<ServerProcess> {
  const child = spawnExample(`${example}/dist/server.js`, { PORT: "0", ...variables }, [], lifetimeMs);
  const stdout = collectLines(child.stdout);
  const stderr = collectLines(child.stderr);
  const exited = exitOf(child, stdout, stderr);
  const notices = variables.LOG === "json" ? stderr : stdout;
  const line = await notices.find((text) => text.startsWith("listening on ") || text === "working");
  const signal = (name: "SIGTERM" | "SIGINT"): void => void child.kill(name);
  return {
    baseUrl: line.slice("listening on ".length),
    stdout,
    stderr,
    signal,
    beginStop: async () => {
      signal("SIGTERM");
      await notices.find((text) => text.startsWith("SIGTERM: "));
    },
    exited,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Runs the example server until it exits, for tests of a failed start. */
export function runServer(variables: Variables): Promise<Exit> {
  const child = spawnExample("orders-server/dist/server.js", variables);
  return exitOf(child, collectLines(child.stdout), collectLines(child.stderr));
}

/** Limits the life of a server whose test never stops it. Milliseconds. */
const LIFETIME_MS = 200_000;

/** Each program writes its files into its own folder. */
const workingFolders = mkdtempSync(join(tmpdir(), "examples-"));
process.once("exit", () => rmSync(workingFolders, { recursive: true }));

/** Starts a built program of the examples. Its environment has the given variables only. */
export function spawnExample(
  program: string,
  env: Variables,
  args: readonly string[] = [],
  lifetimeMs: number = LIFETIME_MS,
): Child {
  return spawn(process.execPath, [join(root, "examples", program), ...args], {
    cwd: mkdtempSync(join(workingFolders, "process-")),
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: lifetimeMs,
    killSignal: "SIGKILL",
  });
}

/** Resolves when the process has ended and its output is complete. */
export async function exitOf(child: Child, stdout: Lines, stderr: Lines): Promise<Exit> {
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: stdout.all(), stderr: stderr.all() };
}
