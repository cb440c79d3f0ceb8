import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Client } from "pg";
import { freePort } from "../free-port.js";
import { collectLines } from "../lines.js";
import { mountTmpfs, unmountTmpfs } from "../tmpfs.js";
import { accountOfPostgres, type PostgresInstallation } from "./postgres-installation.js";

/** A Postgres server for one test file that can be stopped, killed and started again. */
export interface PrivatePostgres {
  readonly port: number;
  /** Folder with the data. */
  readonly data: string;
  /** Returns the `postgres://…` URL, which stays the same after a restart. Pass `port` to connect through a proxy. */
  url(port?: number): string;
  /** Runs one statement on a new connection and returns its rows. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Stops the server. `fast` disconnects clients and shuts down cleanly; `immediate` is like a crash. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Kills all processes of the server at once. */
  kill9(): Promise<void>;
  /** Restarts the server after `stop` or `kill9`. */
  start(): Promise<void>;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

export interface PrivatePostgresOptions {
  readonly installation: PostgresInstallation;
  /** Whether a commit waits for the disk. Default: false, because a killed process does not lose the page cache. */
  readonly fsync?: boolean;
  /** Size of a file system for the data, without the write-ahead log. Default: no limit, in the temporary folder. */
  readonly diskMegabytes?: number;
  /**
   * Server to copy and to follow as a hot standby. It is restarted for the copy. Default: a new, empty server that
   * follows no other.
   */
  readonly standbyOf?: PrivatePostgres;
  /** Additional settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

type Server = ChildProcessByStdio<null, null, Readable>;

/** Creates a database cluster in a temporary folder and starts it on a free port. */
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
  // Cleans up even if a test never calls `remove`.
  process.once("exit", removeNow);

  async function start(): Promise<void> {
    const settings = { ...settingsOf(options, port), ...options.settings };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    server = spawn(join(programs, "postgres"), ["-D", data, ...flags], {
      cwd: data,
      ...account,
      // Otherwise it reads the locale of the user, which might be missing.
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
    // A server that failed to start has already ended.
    const exited = hasEnded(running) ? undefined : once(running, "exit");
    await stopping(running);
    await exited;
  }

  const url = (atPort = port): string => `postgres://postgres@127.0.0.1:${atPort}/postgres`;
  try {
    if (options.diskMegabytes !== undefined) mountTmpfs(data, options.diskMegabytes);
    if (account !== undefined) for (const path of [folder, data]) chownSync(path, account.uid, account.gid);
    const init = "-U postgres -A trust -E UTF8 --locale=C --no-sync".split(" ");
    // Postgres shuts down if its log has no space, but keeps running if its data has no space.
    const log = options.diskMegabytes === undefined ? [] : ["--waldir", join(folder, "log")];
    if (options.standbyOf !== undefined) {
      await copyStopped(options.standbyOf, data);
      writeFileSync(join(data, "standby.signal"), "");
      if (account !== undefined) chownSync(join(data, "standby.signal"), account.uid, account.gid);
    } else {
      execFileSync(join(programs, "initdb"), ["-D", data, ...log, ...init], {
        cwd: data,
        ...account,
        env: { LC_ALL: "C" },
        stdio: "pipe",
      });
    }
    await start();
  } catch (error) {
    removeNow();
    throw error;
  }
  return {
    port,
    data,
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

/** Copies the data of a server while it is stopped. The npm package of Postgres has no program for a running one. */
async function copyStopped(primary: PrivatePostgres, data: string): Promise<void> {
  await primary.stop("fast");
  execFileSync("cp", ["-a", `${primary.data}/.`, data]);
  await primary.start();
}

function settingsOf(
  { fsync = false, standbyOf }: PrivatePostgresOptions,
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
    ...(standbyOf === undefined
      ? {}
      : { primary_conninfo: `host=127.0.0.1 port=${standbyOf.port} user=postgres` }),
  };
}

function hasEnded({ pid, exitCode, signalCode }: Server): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Kills a server and waits until all of its processes are gone. A remaining one would block the next start. */
async function killAndWait(server: Server): Promise<void> {
  const killed = killAll(server);
  while (killed.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function isAlive(pid: string): boolean {
  try {
    // A zombie holds no resources any more.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/**
 * Kills a server and its children. Pauses the server first, because it would react to a dying child with an orderly
 * shutdown of the others. Returns the process ids of the children, which may take a moment to end.
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
      // The child has already ended.
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
  // If the server is killed, the query itself rejects.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
