import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Client } from "pg";
import { collectLines } from "../examples/lines.js";
import { freePort } from "./free-port.js";
import { accountOfPostgres, type PostgresInstallation } from "./postgres-installation.js";
import { mountTmpfs, unmountTmpfs } from "./tmpfs.js";

/** A Postgres of its own for one test file, which may be stopped, killed and started again. */
export interface PrivatePostgres {
  readonly port: number;
  /** `postgres://…`, the same after every start; another port is that of a proxy in front of it. */
  url(port?: number): string;
  /** Runs one statement on a connection of its own and returns its rows. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** `fast` breaks connections and writes everything down; `immediate` ends as after a crash. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Kills the server and all processes of it at the same moment. */
  kill9(): Promise<void>;
  /** Starts it again after `stop` or `kill9`. */
  start(): Promise<void>;
  /** Stops it and removes all that belongs to it. */
  remove(): Promise<void>;
}

export interface PrivatePostgresOptions {
  readonly installation: PostgresInstallation;
  /** Whether a commit waits for the disk. Default false: a process that is killed loses nothing of the page cache. */
  readonly fsync?: boolean;
  /** Puts the data, without the write-ahead log, on a file system of this size. Default the disk of the temporary folder. */
  readonly diskMegabytes?: number;
  /** Further settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

type Server = ChildProcessByStdio<null, null, Readable>;

/** Makes a database cluster in a temporary folder and starts it on a free port. */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const account = accountOfPostgres();
  const folder = mkdtempSync(join(tmpdir(), "private-postgres-"));
  const data = join(folder, "data");
  mkdirSync(data);
  const port = await freePort();
  const programs = options.installation.programs(folder);
  let server: Server | undefined;

  const removeNow = (): void => {
    if (server !== undefined) killAll(server);
    if (options.diskMegabytes !== undefined) unmountTmpfs(data);
    rmSync(folder, { recursive: true, force: true });
  };
  // Whatever becomes of the tests: what is left at the end of the process goes with it.
  process.once("exit", removeNow);

  async function start(): Promise<void> {
    const settings = { ...settingsOf(options, port), ...options.settings };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    server = spawn(join(programs, "postgres"), ["-D", data, ...flags], {
      cwd: data,
      ...account,
      // Else it reads the locale of whoever runs the tests, which it may not know.
      env: { LC_ALL: "C" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await collectLines(server.stderr).find((line) =>
      /database system is ready to accept (read-only )?connections$/.test(line),
    );
  }

  async function end(stopping: (running: Server) => unknown): Promise<void> {
    const running = server;
    if (running === undefined) return;
    server = undefined;
    // One that could not start has ended already.
    const exited = hasEnded(running) ? undefined : once(running, "exit");
    await stopping(running);
    await exited;
  }

  const url = (atPort = port): string => `postgres://postgres@127.0.0.1:${atPort}/postgres`;
  try {
    if (options.diskMegabytes !== undefined) mountTmpfs(data, options.diskMegabytes);
    if (account !== undefined) for (const path of [folder, data]) chownSync(path, account.uid, account.gid);
    const init = "-U postgres -A trust -E UTF8 --locale=C --no-sync".split(" ");
    // With no room for its log Postgres ends itself; with none for data it says so and goes on.
    const log = options.diskMegabytes === undefined ? [] : ["--waldir", join(folder, "log")];
    execFileSync(join(programs, "initdb"), ["-D", data, ...log, ...init], {
      cwd: data,
      ...account,
      env: { LC_ALL: "C" },
      stdio: "pipe",
    });
    await start();
  } catch (error) {
    removeNow();
    throw error;
  }
  return {
    port,
    url,
    query: (text, values) => queryOnce(url(), text, values),
    stop: (mode) => end((running) => running.kill(mode === "fast" ? "SIGINT" : "SIGQUIT")),
    kill9: () => end(killAndWait),
    start,
    remove: async () => {
      await end(killAndWait);
      process.off("exit", removeNow);
      removeNow();
    },
  };
}

function settingsOf(
  { fsync = false }: PrivatePostgresOptions,
  port: number,
): Readonly<Record<string, string | number>> {
  return {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: fsync ? "on" : "off",
    full_page_writes: fsync ? "on" : "off",
    max_connections: 100,
    shared_buffers: "32MB",
  };
}

function hasEnded({ pid, exitCode, signalCode }: Server): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Kills a server and waits until none of its processes is left: one that is would keep the next server from starting. */
async function killAndWait(server: Server): Promise<void> {
  const killed = killAll(server);
  while (killed.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function isAlive(pid: string): boolean {
  try {
    // A zombie has let go of everything.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/**
 * Stops the server first: it would see its children die, and tell the others to end in good order. Returns the children, which
 * may take a moment to go.
 */
function killAll(server: Server): readonly string[] {
  const { pid } = server;
  if (hasEnded(server)) return [];
  server.kill("SIGSTOP");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  for (const child of children) {
    try {
      process.kill(Number(child), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  server.kill("SIGKILL");
  return children;
}

async function queryOnce<Row extends object>(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString });
  // The server may be killed under it: the query then says so.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
