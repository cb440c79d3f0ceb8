import { existsSync } from "node:fs";
import { join } from "node:path";
import { isNight } from "../support/effort.js";

export interface Runtime {
  readonly name: string;
  /** Path of its program, which might not be installed. */
  readonly program: string;
  /** Arguments before the file to run. */
  readonly options: readonly string[];
}

/** One run of the adapter suite inside of a runtime. */
export interface SuiteRun {
  /** The name of its test. */
  readonly name: string;
  readonly runtime: Runtime;
  readonly transport: "sockets" | "Request objects";
  readonly format: "ES modules" | "CommonJS";
  /** The first tier that plays it. */
  readonly tier: "merge" | "night";
}

const { arch } = process;
const installed = (path: string): string => join(import.meta.dirname, "node_modules", path);

function node(major: number): Runtime {
  // The Node that runs the tests also serves for its own version.
  const program = process.version.startsWith(`v${major}.`)
    ? process.execPath
    : installed(`node${major}-linux-${arch}/bin/node`);
  return { name: `Node ${major}`, program, options: [] };
}

const node20 = node(20);
const node22 = node(22);
const node24 = node(24);
const node26 = node(26);

export const nodes: readonly Runtime[] = [node20, node22, node24, node26];

export const bun: Runtime = {
  name: "Bun",
  program: installed(`@oven/bun-linux-${arch === "arm64" ? "aarch64" : arch}/bin/bun`),
  options: ["--no-install"],
};

/** Makes Deno load modules from `node_modules`, without prompts or downloads. */
export const DENO_MODULES: readonly string[] = ["--no-prompt", "--node-modules-dir=manual"];

export const deno: Runtime = {
  name: "Deno",
  program: installed(`@deno/linux-${arch}-glibc/deno`),
  options: ["run", ...DENO_MODULES, "--allow-net=127.0.0.1"],
};

/** Runs one bundled ES module. Node compatibility is off, so there are no servers on sockets. */
export const workerd: Runtime = {
  name: "workerd",
  program: installed(`@cloudflare/workerd-linux-${arch === "x64" ? "64" : arch}/bin/workerd`),
  options: ["serve", "config.capnp", "--socket-addr=http=127.0.0.1:0", "--control-fd=1"],
};

export const runtimes: readonly Runtime[] = [...nodes, bun, deno, workerd];

/** workerd serves one module that a bundler has made. */
export const runtimesWithRequire: readonly Runtime[] = runtimes.filter((runtime) => runtime !== workerd);

/**
 * Every run of the adapter suite. `npm test` already plays it on Node 20 over both transports, and loads the packed package
 * there. All versions of Node have the same implementation of `Request`, so before a merge only the newest plays it.
 */
export const suiteRuns: readonly SuiteRun[] = [
  suiteRun(node20, "sockets", "night"),
  suiteRun(node20, "Request objects", "night"),
  suiteRun(node22, "sockets", "merge"),
  suiteRun(node22, "Request objects", "night"),
  suiteRun(node24, "sockets", "merge"),
  suiteRun(node24, "Request objects", "night"),
  suiteRun(node26, "sockets", "merge"),
  suiteRun(node26, "Request objects", "merge"),
  suiteRun(bun, "sockets", "merge"),
  suiteRun(bun, "Request objects", "merge"),
  suiteRun(deno, "sockets", "merge"),
  suiteRun(deno, "Request objects", "merge"),
  suiteRun(workerd, "Request objects", "merge"),
  suiteRun(node20, "sockets", "merge", "CommonJS"),
];

function suiteRun(
  runtime: Runtime,
  transport: SuiteRun["transport"],
  tier: SuiteRun["tier"],
  format: SuiteRun["format"] = "ES modules",
): SuiteRun {
  const suffix = format === "CommonJS" ? ", in CommonJS" : "";
  const name = `${runtime.name} keeps the contract over ${transport}${suffix}`;
  return { name, runtime, transport, format, tier };
}

/** Returns the runs of the tier that is running. */
export function runsOfThisTier(): readonly SuiteRun[] {
  return suiteRuns.filter(({ tier }) => isNight || tier === "merge");
}

/** Returns the name of the test that loads the package with `require`. */
export function loadTestOf({ name }: Runtime): string {
  return `${name} loads every subpath with require`;
}

/** Whether to skip tests of a runtime: it is not installed, and `CI` is not set. */
export function isSkipped({ program }: Runtime): boolean {
  return !existsSync(program) && !process.env.CI;
}

/** Returns the program of a runtime. Throws if it is not installed. */
export function programOf({ name, program }: Runtime): string {
  if (!existsSync(program))
    throw new Error(
      `${name} is not installed. Run the tests on Node 20, after \`npm ci --prefix test/runtimes\`.`,
    );
  return program;
}
