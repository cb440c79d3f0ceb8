import { bun, DENO_MODULES, deno, nodes, type Runtime, workerd } from "./matrix.js";
import { workers } from "./project.js";

/** A server program for a runtime. */
export interface ServerProgram {
  readonly name: string;
  readonly runtime: Runtime;
  readonly args: readonly string[];
  /** Relative to the project. */
  readonly folder: string;
}

/** Options of `deno serve`. */
const ON_DENO: readonly string[] = [...DENO_MODULES, "--host=127.0.0.1", "--port=0"];

/** Returns a file of `inside` as a server of the Fetch API on Bun and Deno. */
export function onFetch(name: string): readonly ServerProgram[] {
  const file = `${name}.mjs`;
  return [
    { name: "Bun", runtime: bun, args: [...bun.options, file], folder: "." },
    { name: "Deno", runtime: deno, args: ["serve", ...ON_DENO, file], folder: "." },
  ];
}

const onNode: readonly ServerProgram[] = nodes.map((runtime) => ({
  name: `${runtime.name}: http.createServer`,
  runtime,
  args: ["node-server.mjs"],
  folder: ".",
}));

/** The examples that run as processes and stop on a signal. */
export const exampleProcesses: readonly ServerProgram[] = [
  {
    name: "Bun: examples/bun/server.ts",
    runtime: bun,
    args: [...bun.options, "server.ts"],
    folder: "examples/bun",
  },
  {
    name: "Deno: examples/deno/server.ts",
    runtime: deno,
    args: ["serve", ...ON_DENO, "server.ts"],
    folder: "examples/deno",
  },
];

/** The example on workerd. */
export const exampleWorker: ServerProgram = {
  name: "workerd: examples/cloudflare-worker/worker.ts",
  runtime: workerd,
  args: workerd.options,
  folder: workers.example,
};

/** The examples, and Node's `http.createServer`. */
export const servers: readonly ServerProgram[] = [...onNode, ...exampleProcesses, exampleWorker];
