import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildResult, build } from "esbuild";

/** Root folder of the package. */
export const root: string = join(import.meta.dirname, "../..");

/** The parts of package.json that these tests read. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<string, Readonly<Record<"import" | "require", { readonly default: string }>>>
  >;
}

export const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

/** Global setup of Vitest: builds once, and only if a test of the built package is going to run. */
export function setup(): void {
  // The pipeline builds before it runs several projects at the same time.
  if (process.env.ALREADY_BUILT !== undefined) return;
  run("npm", ["run", "--silent", "build:start"], root);
}

/** Runs a program to its end and returns its stdout. If it fails, throws an error with its stderr. */
export function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Returns the built file of a subpath in one module format. */
export function builtFile(subpath: string, format: "import" | "require"): string {
  const entry = manifest.exports[subpath];
  if (entry === undefined) throw new Error(`package.json exports no ${subpath}`);
  return join(root, entry[format].default);
}

/**
 * Bundles a subpath for an edge runtime, which has no `node:` modules.
 *
 * @param names What the bundle exports. Default: everything.
 */
export async function bundle(
  subpath: string,
  external: readonly string[] = [],
  names: string = "*",
): Promise<Bundle> {
  const file = builtFile(subpath, "import");
  const result: BuildResult<{ metafile: true; write: false }> = await build({
    stdin: { contents: `export ${names} from ${JSON.stringify(file)}`, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    external: ["node:*", ...external],
    logLevel: "silent",
  });
  const bytes = result.outputFiles[0]?.contents ?? new Uint8Array();
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports);
  return { gzipBytes: gzipSync(bytes, { level: 9 }).byteLength, imports: imports.map(({ path }) => path) };
}

interface Bundle {
  readonly gzipBytes: number;
  /** Modules that the bundle still imports. */
  readonly imports: readonly string[];
}

/** A separate project that has installed the packed package. */
export interface Consumer {
  readonly folder: string;
  /** Names of all installed packages. */
  readonly packages: readonly string[];
  /** Runs a script in the project and returns its stdout, parsed as JSON. */
  evaluate(format: "module" | "commonjs", script: string): unknown;
  remove(): void;
}

/** Packs the package and installs it into a temporary folder together with these peers. */
export function installPacked(...peers: readonly string[]): Consumer {
  const folder = mkdtempSync(join(tmpdir(), `${manifest.name}-`));
  run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const archive = `./${manifest.name}-${manifest.version}.tgz`;
  const packages = [archive, ...peers.map((name) => `${name}@${manifest.peerDependencies[name]}`)];
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  run("npm", ["install", ...packages, ...options], folder);
  const installed = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  return {
    folder,
    packages: Object.keys(installed.packages).map((path) => path.replace(/^.*node_modules\//, "")),
    evaluate: (format, script) =>
      JSON.parse(run(process.execPath, [`--input-type=${format}`, "--eval", script], folder)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
