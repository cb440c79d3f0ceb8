import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { managerFolders, managerSettings } from "../../registry/managers.js";
import { root, run } from "../../support/built.js";
import { collectLines } from "../../support/lines.js";

/** A shell in a temporary folder. */
export interface Terminal {
  /** Writes a file relative to the current folder. */
  write(path: string, text: string): void;
  /** Runs a command and returns its stdout. Rejects with its output if it fails. */
  run(command: string): Promise<string>;
  /** Starts a command that keeps running. */
  start(command: string, port: number): void;
  /** Waits until a program listens on the port. */
  listening(port: number): Promise<void>;
  /** Sends SIGTERM to the programs that keep running, and returns their exit codes. A code is null after a signal. */
  stop(): Promise<(number | null)[]>;
  /** Kills the programs that keep running and removes the folder. */
  close(): Promise<void>;
}

/** How a terminal differs from that of the tests. */
export interface TerminalOptions {
  /** Program of Node. Default: the one that runs the tests. */
  readonly node?: string;
  /** Further variables of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Limit for one command. Default: 200 s, less than the timeout of a test, so that the error names the command. */
  readonly commandTimeoutMs?: number;
}

const COMMAND_TIMEOUT_MS = 200_000;

/** Opens a shell whose package managers use this registry. They only share npm's cache with the machine. */
export function openTerminal(
  registry: string,
  { node = process.execPath, variables = {}, commandTimeoutMs = COMMAND_TIMEOUT_MS }: TerminalOptions = {},
): Terminal {
  const home = mkdtempSync(join(tmpdir(), "quick-start-"));
  const env = { ...environment(home, registry, node), ...variables };
  let cwd = home;
  const servers: Server[] = [];
  return {
    write: (path, text) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    },
    run: async (command) => {
      const options = { cwd, env, timeout: commandTimeoutMs };
      const { stdout } = await promisify(execFile)("bash", ["-c", command], options);
      // Every command runs in a new shell, so the folder has to be remembered.
      const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
      if (folder !== undefined) cwd = join(cwd, folder);
      return stdout;
    },
    // Some programs read the port from the environment. For others it is in the command or in a file.
    start: (command, port) => void servers.push(start(command, cwd, { ...env, PORT: String(port) })),
    listening: (port) => listening(servers, port),
    stop: () => Promise.all(servers.map((server) => server.kill("SIGTERM"))),
    close: async () => {
      await Promise.all(servers.map((server) => server.kill("SIGKILL")));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function environment(home: string, registry: string, node: string): Environment {
  // Variables set by npm and the test runner would influence the commands.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV$)/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: [dirname(node), ...managerFolders, process.env.PATH ?? ""].join(delimiter),
    HOME: home,
    ...managerSettings(registry),
    NPM_CONFIG_CACHE: npmCache(),
    NEXT_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
    NO_COLOR: "1",
  };
}

let cache: string | undefined;

/** Returns the folder that npm finds in the home that terminals do not have. */
function npmCache(): string {
  cache ??= run("npm", ["config", "get", "cache"], root).trim();
  return cache;
}

interface Server {
  /** Everything written to stdout and stderr so far. */
  output(): string;
  hasEnded(): boolean;
  /** Returns the exit code, or null if a signal ended it. */
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

/** Starts the command in a new process group, because `npx` starts further processes. */
function start(command: string, cwd: string, env: Environment): Server {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn("bash", ["-c", command], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const streams = [collectLines(child.stdout), collectLines(child.stderr)];
  const closed = once(child, "close");
  return {
    output: () => streams.flatMap((lines) => lines.all()).join("\n"),
    hasEnded: () => child.exitCode !== null,
    kill: async (signal) => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (child.pid !== undefined && isRunning) process.kill(-child.pid, signal);
      await closed;
      return child.exitCode;
    },
  };
}

async function listening(servers: readonly Server[], port: number): Promise<void> {
  const end = Date.now() + COMMAND_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (servers.some((server) => server.hasEnded()) || Date.now() > end)
      throw new Error(
        `no program listens on port ${port}:\n${servers.map((server) => server.output()).join("\n")}`,
      );
    await sleep(50);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "localhost", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
