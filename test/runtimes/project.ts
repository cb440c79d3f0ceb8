import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join, parse } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { peerOf } from "../package/peers.js";
import { installPacked, manifest, root } from "../support/built.js";

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

/** Compiled files of `inside`. Those in CommonJS load the package as such programs do. */
const PROGRAMS: readonly string[] = [
  "suite-over-sockets.mjs",
  "suite-over-sockets.cjs",
  "suite-over-requests.mjs",
  "suites-on-sqlite.mjs",
  "orders-on-sqlite.mjs",
  "node-server.mjs",
  "following-server.mjs",
  "receiving-server.mjs",
  "require-everything.cjs",
];

/** Files of `inside` that workerd serves, and their folders. */
const WORKER_FILES: readonly (readonly [name: string, folder: string])[] = [
  ["suite-in-worker", workers.suite],
  ["receiving-server", workers.receiving],
];

/** Opens a project for the tests of a file. */
export function useProject(): () => Project {
  let project: Project;
  beforeAll(async () => {
    project = await openProject();
  });
  afterAll(() => project?.remove());
  return () => project;
}

/** Installs the packed package with its peers in a new project, and adds the programs and copies of the examples. */
async function openProject(): Promise<Project> {
  const { folder, remove } = installPacked(...new Set(Object.values(peerOf)));
  for (const program of PROGRAMS)
    await compile(join(inside, `${parse(program).name}.ts`), join(folder, program));
  for (const name of ["bun", "deno", "cloudflare-worker"]) {
    cpSync(join(examples, name), join(folder, "examples", name), { recursive: true });
  }
  for (const [name, worker] of WORKER_FILES) {
    mkdirSync(join(folder, worker));
    await compile(join(inside, `${name}.ts`), join(folder, worker, "worker.ts"));
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

/** Compiles one file. Imports of the package stay imports. */
async function compile(from: string, to: string): Promise<void> {
  const external = [manifest.name, `${manifest.name}/*`];
  const format = to.endsWith(".cjs") ? "cjs" : "esm";
  await build({ ...common(from, to), external, platform: "node", format });
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
