import { existsSync } from "node:fs";
import { join } from "node:path";

export type ModuleFormat = "ES modules" | "CommonJS";
export type Transport = "sockets" | "Request objects";

export interface Runtime {
  readonly name: string;
  /** Path of its program, which might not be installed. */
  readonly program: string;
  /** Arguments before the file to run. */
  readonly options: readonly string[];
  readonly formats: readonly ModuleFormat[];
  readonly transports: readonly Transport[];
}

/** One run of the adapter suite inside of a runtime. */
export interface SuiteRun {
  /** The name of its test. */
  readonly name: string;
  readonly runtime: Runtime;
  readonly format: ModuleFormat;
  readonly transport: Transport;
}

const { arch } = process;
const installed = (path: string): string => join(import.meta.dirname, "node_modules", path);
const everything = {
  formats: ["ES modules", "CommonJS"],
  transports: ["sockets", "Request objects"],
} as const;

export const nodes: readonly Runtime[] = [20, 22, 24, 26].map((major) => ({
  name: `Node ${major}`,
  // The Node that runs the tests also serves for its own version.
  program: process.version.startsWith(`v${major}.`)
    ? process.execPath
    : installed(`node${major}-linux-${arch}/bin/node`),
  options: [],
  ...everything,
}));

export const bun: Runtime = {
  name: "Bun",
  program: installed(`@oven/bun-linux-${arch === "arm64" ? "aarch64" : arch}/bin/bun`),
  options: ["--no-install"],
  ...everything,
};

/** Makes Deno load modules from `node_modules`, without prompts or downloads. */
export const DENO_MODULES: readonly string[] = ["--no-prompt", "--node-modules-dir=manual"];

export const deno: Runtime = {
  name: "Deno",
  program: installed(`@deno/linux-${arch}-glibc/deno`),
  options: ["run", ...DENO_MODULES, "--allow-net=127.0.0.1"],
  ...everything,
};

/** Runs one bundled ES module. Node compatibility is off, so there are no servers on sockets. */
export const workerd: Runtime = {
  name: "workerd",
  program: installed(`@cloudflare/workerd-linux-${arch === "x64" ? "64" : arch}/bin/workerd`),
  options: ["serve", "config.capnp", "--socket-addr=http=127.0.0.1:0", "--control-fd=1"],
  formats: ["ES modules"],
  transports: ["Request objects"],
};

export const runtimes: readonly Runtime[] = [...nodes, bun, deno, workerd];

/** Every run of the adapter suite: in each runtime, in each module format, over each transport. */
export const suiteRuns: readonly SuiteRun[] = runtimes.flatMap((runtime) =>
  runtime.formats.flatMap((format) =>
    runtime.transports.map((transport) => ({
      name: `${runtime.name}, ${format}: keeps the contract over ${transport}`,
      runtime,
      format,
      transport,
    })),
  ),
);

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
