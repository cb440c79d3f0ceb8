import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { base, built, fixedSeed, onConsoleLog } from "./vitest.base.js";

/** Tests of the built package. They wait for one build, which the first of them triggers. */
const ofBuild = ["package", "examples", "processes"].map((folder) => `test/${folder}/**/*.test.ts`);

/** Slow tests, and tests that need more than `npm ci`: see vitest.other.config.ts and vitest.servers.config.ts. */
const elsewhere = [
  "test/**/*.long.test.ts",
  ...[
    "brokers",
    "browser",
    "registry",
    "runtimes",
    "tools",
    "servers",
    "faults",
    "upgrade",
    "opentelemetry",
    "orms",
    "frameworks",
    "backends/postgres",
  ].map((folder) => `test/${folder}/**`),
  "examples/answers/page/**",
  "examples/mcp-tools/**",
];

/** The tests of `npm test`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    // One more than the cores, because many tests wait for processes and timers.
    maxWorkers: availableParallelism() + 1,
    onConsoleLog,
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: [...ofBuild, ...elsewhere],
          setupFiles: [fixedSeed],
        },
      },
      {
        extends: true,
        test: {
          name: "built",
          include: ofBuild,
          exclude: elsewhere,
          globalSetup: built,
          // Node loads the build as it is, like in a program.
          server: { deps: { external: [/\/dist\/[\w-]+\.js$/] } },
        },
      },
    ],
  },
});
