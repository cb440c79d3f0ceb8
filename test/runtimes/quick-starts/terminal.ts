import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { collectLines } from "../../examples/lines.js";
import { root, run } from "../../package/built.js";
import { bun, deno } from "../matrix.js";

/** A shell in a folder of its own. */
export interface Terminal {
  /** Writes a file where the shell is. */
  write(path: string, text: string): void;
  /** Runs a command to its end, and returns its stdout. Rejects when it fails, with what it wrote. */
  run(command: string): Promise<string>;
  /** Starts a command that does not end, and waits until something listens at the port. */
  serve(command: string, port: number): Promise<void>;
  /** Ends what was started, and removes the folder. */
  close(): Promise<void>;
}

/** For any one command: less than a test has, so that it can say which it was. */
const PATIENCE_MS = 60_000;

/** Opens a shell whose package managers ask this registry. Of this machine they use no more than the cache of npm. */
export function openTerminal(registry: string): Terminal {
  const home = mkdtempSync(join(tmpdir(), "quick-start-"));
  const env = environment(home, registry);
  let cwd = home;
  let server: Server | undefined;
  return {
    write: (path, text) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    },
    run: async (command) => {
      const options = { cwd, env, timeout: PATIENCE_MS };
      const { stdout } = await promisify(execFile)("bash", ["-c", command], options);
      // The next command has a shell of its own.
      const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
      if (folder !== undefined) cwd = join(cwd, folder);
      return stdout;
    },
    serve: async (command, port) => {
      // For programs that are told their port by the environment; for the others it is in the command or in a file.
      server = start(command, cwd, { ...env, PORT: String(port) });
      await listening(server, port);
    },
    close: async () => {
      await server?.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function environment(home: string, registry: string): Environment {
  // What npm and the test runner have set for themselves would change what the commands do.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV$)/i.test(name));
  const programs = [process.execPath, bun.program, deno.program].map((program) => dirname(program));
  return {
    ...Object.fromEntries(inherited),
    PATH: [...programs, process.env.PATH ?? ""].join(delimiter),
    HOME: home,
    NPM_CONFIG_REGISTRY: registry,
    NPM_CONFIG_CACHE: run("npm", ["config", "get", "cache"], root).trim(),
    NPM_CONFIG_PREFER_OFFLINE: "true",
    DENO_NO_UPDATE_CHECK: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
    NO_COLOR: "1",
  };
}

interface Server {
  /** What it has written so far. */
  output(): string;
  hasEnded(): boolean;
  kill(): Promise<void>;
}

/** In a process group of its own, because `npx` starts further processes. */
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
    kill: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      await closed;
    },
  };
}

async function listening(server: Server, port: number): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await accepts(port))) {
    if (server.hasEnded() || Date.now() > end)
      throw new Error(`nothing listens at port ${port}:\n${server.output()}`);
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
