import { defineConfig, type Options } from "tsup";
import { commonJs, library } from "./tsup.config.js";

/** The examples that run on Node. */
const examples = [
  "orders-server",
  "express",
  "fetch-hono",
  "fastify",
  "custom-operation",
  "client",
  "webhook-receiver",
  "web-page",
  "answers",
  "tasks",
];

/** Builds the library without declarations, and the examples. Nothing of this build is published. */
export default defineConfig([library, commonJs, ...examples.map(example)]);

function example(name: string): Options {
  return {
    name,
    entry: [`examples/${name}/**/*.ts`, "!**/*.test.ts", "!**/page/**"],
    outDir: `examples/${name}/dist`,
    format: "esm",
    platform: "node",
    target: "node20",
    // Keeps the import of `async-request-reply`, which Node resolves through the package's `exports`.
    bundle: false,
  };
}
