import { bun, deno, nodes, type Runtime } from "./matrix.js";

/** A runtime with the name of its module for SQLite. */
export interface SqliteRuntime {
  readonly runtime: Runtime;
  readonly client: string;
}

/** Runtimes that bring a client of SQLite. */
export const sqliteRuntimes: readonly SqliteRuntime[] = [
  ...nodes.filter(({ name }) => name !== "Node 20").map((runtime) => ({ runtime, client: "node:sqlite" })),
  { runtime: bun, client: "bun:sqlite" },
  {
    runtime: { ...deno, options: [...deno.options, "--allow-read", "--allow-write", "--allow-env"] },
    client: "node:sqlite",
  },
];
