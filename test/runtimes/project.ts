import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { installPacked, manifest, root } from "../support/built.js";
import type { ModuleFormat } from "./matrix.js";

/** A project with the packed package installed, and with the programs that the runtimes run. */
export interface Project {
  readonly folder: string;
  /** Environment of the programs. They write only inside the project. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

const inside = join(import.meta.dirname, "inside");
const examples = join(root, "examples");

/** The folders of the project with a Worker and its `config.capnp`. */
export const workers = {
  suite: "suite-worker",
  receiving: "receiving-worker",
  example: "examples/cloudflare-worker",
} as const;

/** Files of `inside` that workerd serves, and their folders. */
const WORKER_FILES: readonly (readonly [name: string, folder: string])[] = [
  ["suite-in-worker", workers.suite],
  ["receiving-server", workers.receiving],
];

/** Installs the packed package in a new project and adds the suite, a server, and copies of the examples. */
export async function openProject(): Promise<Project> {
  const { folder, remove } = installPacked();
  for (const name of [
    "suite-over-sockets",
    "suite-over-requests",
    "suites-on-sqlite",
    "orders-on-sqlite",
    "node-server",
    "following-server",
    "receiving-server",
  ]) {
    for (const format of ["ES modules", "CommonJS"] as const) {
      await compile(join(inside, `${name}.ts`), join(folder, fileOf(name, format)), format);
    }
  }
  for (const name of ["bun", "deno", "cloudflare-worker"]) {
    cpSync(join(examples, name), join(folder, "examples", name), { recursive: true });
  }
  for (const [name, worker] of WORKER_FILES) {
    mkdirSync(join(folder, worker));
    await compile(join(inside, `${name}.ts`), join(folder, worker, "worker.ts"), "ES modules");
    copyFileSync(join(examples, "cloudflare-worker/config.capnp"), join(folder, worker, "config.capnp"));
  }
  for (const worker of Object.values(workers)) await bundleWorker(join(folder, worker));
  const { PATH = "" } = process.env;
  const env = {
    PATH,
    HOME: folder,
    DENO_DIR: join(folder, ".deno"),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
  return { folder, env, remove };
}

/** Returns the compiled name of a file of `inside`. */
export function fileOf(name: string, format: ModuleFormat): string {
  return `${name}.${format === "CommonJS" ? "cjs" : "mjs"}`;
}

/** Compiles one file to one module format. Imports of the package stay imports, or become `require`. */
async function compile(from: string, to: string, format: ModuleFormat): Promise<void> {
  const external = [manifest.name, `${manifest.name}/*`];
  await build({
    ...common(from, to),
    external,
    platform: "node",
    format: format === "CommonJS" ? "cjs" : "esm",
  });
}

/** Bundles a Worker and its imports into one module, with the options of the command in the example. */
async function bundleWorker(folder: string): Promise<void> {
  await build({
    ...common(join(folder, "worker.ts"), join(folder, "dist/worker.js")),
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    format: "esm",
  });
}

function common(from: string, to: string): BuildOptions {
  // Without tsconfig.json, whose `paths` lead to the sources.
  return { entryPoints: [from], outfile: to, bundle: true, tsconfigRaw: {}, logLevel: "silent" };
}
