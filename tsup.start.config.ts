import { defineConfig, type Options } from "tsup";
import { library } from "./tsup.config.js";

/** The examples that run on Node. */
const examples = ["orders-server", "express", "fetch-hono", "fastify", "custom-operation", "tasks"];

/** What runs without being published: the library without declarations, and the examples on top of it. */
export default defineConfig([library, ...examples.map(example)]);

function example(name: string): Options {
  return {
    name,
    entry: [`examples/${name}/**/*.ts`, "!**/*.test.ts"],
    outDir: `examples/${name}/dist`,
    format: "esm",
    platform: "node",
    target: "node20",
    // File by file: `async-request-reply` stays an import and is resolved through the package's own `exports`.
    bundle: false,
  };
}
