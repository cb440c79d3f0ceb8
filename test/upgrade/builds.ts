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
  const tag = previousTag();
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

/** Returns the tag of the newest release before this commit. */
function previousTag(): string | undefined {
  const before = ["--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname"];
  const tags = run("git", ["tag", "--list", ...before, "v*", `${manifest.name}@*`], root).split("\n");
  return tags.find((tag) => /\d+\.\d+\.\d+$/.test(tag));
}

function copySources(folder: string): void {
  const configuration = readdirSync(root).filter((name) => /\.ts$|^(package|tsconfig)\.json$/.test(name));
  for (const name of ["src", ...configuration])
    cpSync(join(root, name), join(folder, name), { recursive: true });
}

function extract(tag: string, folder: string): void {
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", tag], { cwd: root, maxBuffer: 2 ** 30 });
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
