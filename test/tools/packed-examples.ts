import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../support/built.js";

/** A folder with the examples and the packed package, as installed from npm. */
export interface PackedExamples {
  readonly folder: string;
  /** Files in the package. */
  readonly files: readonly string[];
  remove(): void;
}

/** Compiler options of a strict project that emits declarations. */
const OPTIONS = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  types: ["node"],
  module: "nodenext",
  moduleResolution: "nodenext",
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: ".",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

/** Packs a fresh copy of the repository, in which nothing is built, and adds the examples. */
export function packExamples(): PackedExamples {
  const folder = mkdtempSync(join(tmpdir(), "examples-"));
  // In a parent folder, so that the examples find everything else that they import.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const copy = join(folder, "copy");
  mkdirSync(copy);
  for (const name of readdirSync(root))
    if (/^(src|bin|[\w.-]+\.(json|ts|md)|LICENSE)$/.test(name))
      cpSync(join(root, name), join(copy, name), { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: copy, stdio: "pipe" });
  const project = join(folder, "project");
  const installed = join(project, "node_modules/async-request-reply");
  mkdirSync(installed, { recursive: true });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", join(folder, archive), "--strip-components=1", "-C", installed]);
  cpSync(join(root, "examples"), join(project, "examples"), {
    recursive: true,
    // Those that need packages of their folders are compiled there: the MCP example, the pages of answers, and those with test/frameworks.
    filter: (path) => !/\/(dist|node_modules|mcp-tools|nestjs|rpc|answers\/page)$/.test(path),
  });
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS }));
  return {
    folder: project,
    files: readdirSync(join(installed, "dist")),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
