import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Build } from "../driver/actors.js";
import { manifest, root, run } from "../support/built.js";
import { addSchemaVersion } from "./next-schema.js";

/** Two releases of the package. */
export interface Releases {
  readonly old: Build;
  readonly next: Build;
  /** Deletes what was built. */
  remove(): void;
}

/**
 * Builds the previous release, and a next one: this checkout with one more version of each schema. Before there is a
 * release, this checkout is also the previous one.
 */
export function buildReleases(): Releases {
  const parent = mkdtempSync(join(tmpdir(), "releases-"));
  const next = join(parent, "next");
  copySources(next);
  addSchemaVersion(next);
  build(next);
  const tag = newestTagWithout("HEAD");
  const old = tag === undefined ? root : join(parent, "old");
  if (tag !== undefined) {
    extract(tag, old);
    build(old);
  }
  return {
    old: { name: "old", folder: old },
    next: { name: "next", folder: next },
    remove: () => rmSync(parent, { recursive: true }),
  };
}

/** Builds the newest release that lacks a file, or the newest commit if there is no such release. */
export function buildWithout(file: string): Pick<Releases, "old" | "remove"> {
  const added = linesOf("log", "--diff-filter=A", "--format=%H", "--", file).at(-1);
  if (added === undefined) throw new Error(`No commit has added ${file}. Fetch the whole history.`);
  const later = new Set(linesOf("rev-list", "--ancestry-path", `${added}..HEAD`));
  const beside = linesOf("rev-list", `${added}..HEAD`).find((commit) => !later.has(commit));
  const parent = mkdtempSync(join(tmpdir(), "releases-"));
  const old = join(parent, "old");
  extract(newestTagWithout(added) ?? beside ?? `${added}^`, old);
  build(old);
  return { old: { name: "old", folder: old }, remove: () => rmSync(parent, { recursive: true }) };
}

/** Returns the tag of the newest release before this commit that does not contain another one. */
function newestTagWithout(commit: string): string | undefined {
  const before = ["--merged", "HEAD", "--no-contains", commit, "--sort=-version:refname"];
  return linesOf("tag", "--list", ...before, "v*", `${manifest.name}@*`).find((tag) =>
    /\d+\.\d+\.\d+$/.test(tag),
  );
}

/** Returns the lines that a command of Git prints. */
function linesOf(...command: readonly string[]): readonly string[] {
  return run("git", command, root).split("\n").filter(Boolean);
}

function copySources(folder: string): void {
  const configuration = readdirSync(root).filter((name) => /\.ts$|^(package|tsconfig)\.json$/.test(name));
  for (const name of ["src", ...configuration])
    cpSync(join(root, name), join(folder, name), { recursive: true });
}

function extract(commit: string, folder: string): void {
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x"], { cwd: folder, input: archive });
}

/** Builds the ES modules of a copy, with the dependencies of this checkout, and adds the programs of the driver. */
function build(folder: string): void {
  const config = "tsup.modules.config.ts";
  writeFileSync(
    join(folder, config),
    'import { library } from "./tsup.config.js";\nexport default library;\n',
  );
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  run("npx", ["tsup", "--config", config, "--silent"], folder);
  for (const programs of ["test/driver", "test/faults"])
    cpSync(join(root, programs), join(folder, programs), { recursive: true });
}
