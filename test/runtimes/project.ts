import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { builtinModules } from "node:module";
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
  suitesInObject: "suites-in-object",
  operationsInObjects: "operations-in-objects",
  objectsWithDirectory: "objects-with-directory",
  ordersInIsolate: "orders-in-isolate",
  ordersOnHyperdrive: "orders-on-hyperdrive",
  example: "examples/durable-objects",
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
const WORKER_FILES: readonly (readonly [name: string, folder: string, config: string])[] = [
  ["suite-in-worker", workers.suite, join(inside, "worker.capnp")],
  ["receiving-server", workers.receiving, join(inside, "worker.capnp")],
  ["orders-in-isolate", workers.ordersInIsolate, join(inside, "worker.capnp")],
  ["suites-in-object", workers.suitesInObject, join(inside, "objects.capnp")],
  ["operations-in-objects", workers.operationsInObjects, join(inside, "objects.capnp")],
  ["objects-with-directory", workers.objectsWithDirectory, join(inside, "directory.capnp")],
  ["orders-on-hyperdrive", workers.ordersOnHyperdrive, join(inside, "hyperdrive.capnp")],
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
  for (const name of ["bun", "deno", "durable-objects"]) {
    cpSync(join(examples, name), join(folder, "examples", name), { recursive: true });
  }
  mkdirSync(join(folder, workers.example, "state"), { recursive: true });
  for (const [name, worker, config] of WORKER_FILES) {
    // Objects keep their databases there.
    mkdirSync(join(folder, worker, "state"), { recursive: true });
    await compile(join(inside, `${name}.ts`), join(folder, worker, "worker.ts"));
    copyFileSync(config, join(folder, worker, "config.capnp"));
  }
  for (const worker of Object.values(workers)) await bundleWorker(join(folder, worker));
  await bundleWorker(join(folder, workers.example), "console");
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

/** Compiles one file. Imports of the package and of `pg` stay imports. */
async function compile(from: string, to: string): Promise<void> {
  const external = [manifest.name, `${manifest.name}/*`, "pg"];
  const format = to.endsWith(".cjs") ? "cjs" : "esm";
  await build({ ...common(from, to), external, platform: "node", format });
}

/** Bundles a Worker and its imports into one module, with the options of the command in the example. */
async function bundleWorker(folder: string, name = "worker"): Promise<void> {
  await build({
    ...common(join(folder, `${name}.ts`), join(folder, `dist/${name}.js`)),
    platform: "neutral",
    conditions: ["workerd", "worker", "browser"],
    format: "esm",
    ...(folder.endsWith(workers.ordersOnHyperdrive) ? WITH_PG : {}),
  });
}

/** Options that bundle `pg` as Wrangler does with `nodejs_compat`. It requires modules of Node, and is not installed. */
const WITH_PG: BuildOptions = {
  mainFields: ["main"],
  nodePaths: [join(root, "node_modules")],
  external: [...builtinModules, "node:*", "cloudflare:*", "pg-native"],
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("/worker.js");' },
};

function common(from: string, to: string): BuildOptions {
  // Without tsconfig.json, whose `paths` lead to the sources.
  return { entryPoints: [from], outfile: to, bundle: true, tsconfigRaw: {}, logLevel: "silent" };
}
