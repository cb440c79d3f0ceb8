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

const onBun = (folder: string, file: string) => ({ runtime: bun, args: [...bun.options, file], folder });
const onDeno = (folder: string, file: string) => ({
  runtime: deno,
  args: ["serve", ...DENO_MODULES, "--host=127.0.0.1", "--port=0", file],
  folder,
});

/** Returns a file of `inside` as a server of the Fetch API on Bun and Deno. */
export function onFetch(name: string): readonly ServerProgram[] {
  const file = `${name}.mjs`;
  return [
    { name: "Bun", ...onBun(".", file) },
    { name: "Deno", ...onDeno(".", file) },
  ];
}

/** The examples that run as processes and stop on a signal. */
export const exampleProcesses: readonly ServerProgram[] = [
  { name: "Bun: examples/bun/server.ts", ...onBun("examples/bun", "server.ts") },
  { name: "Deno: examples/deno/server.ts", ...onDeno("examples/deno", "server.ts") },
];

/** A Worker that works in the time after its reply. */
export const workerInIsolate: ServerProgram = {
  name: "workerd: a Worker with orders in memory",
  runtime: workerd,
  args: workerd.options,
  folder: workers.ordersInIsolate,
};

/** The example with Durable Objects. */
export const exampleWorker: ServerProgram = {
  name: "workerd: examples/durable-objects/worker.ts",
  runtime: workerd,
  args: [...workerd.options, "--socket-addr=console=127.0.0.1:0"],
  folder: workers.example,
};

/** Node's `http.createServer`, the examples that are processes, and a Worker. They serve orders. */
export const servers: readonly ServerProgram[] = [
  ...nodes.map((runtime) => ({
    name: `${runtime.name}: http.createServer`,
    runtime,
    args: ["node-server.mjs"],
    folder: ".",
  })),
  ...exampleProcesses,
  workerInIsolate,
];
