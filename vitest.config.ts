import { defineConfig } from "vitest/config";
import { embeddedFilesInTests } from "./embedded-files.js";
import { sqlAsText } from "./test/sql-as-text.js";

/** Tests of the built package. They wait for one build, which the first of them triggers. */
const built = ["package", "examples", "processes"].map((folder) => `test/${folder}/**/*.test.ts`);

/** Tests that run the examples of the pages. Some examples replace globals, such as `Response`. */
const pages = "test/docs/**/*.test.ts";

/**
 * Slow tests (vitest.long.config.ts), and tests that need more than `npm ci` (vitest.{brokers,browser,runtimes,servers}.config.ts).
 */
const elsewhere = [
  "test/**/*.long.test.ts",
  ...[
    "brokers",
    "browser",
    "runtimes",
    "tools",
    "servers",
    "faults",
    "opentelemetry",
    "backends/postgres",
  ].map((folder) => `test/${folder}/**`),
  "examples/mcp-tools/**",
];

export default defineConfig({
  // Resolves `async-request-reply` to the source, as in tsconfig.json, so that no build is needed.
  plugins: [sqlAsText, embeddedFilesInTests],
  resolve: { tsconfigPaths: true },
  test: {
    // By default Vitest reserves one core for itself, which is half of a machine with two cores.
    maxWorkers: "100%",
    // Loading the library again for every file takes as long as its tests. Every file restores the globals it replaces.
    isolate: false,
    setupFiles: ["test/setup.ts"],
    // A test without assertions cannot fail. On a busy machine a polled condition may take long to hold.
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    // Hides the output of the default observer. Tests of that output replace the console.
    onConsoleLog: (log) => !log.startsWith("[async-request-reply]"),
    // Ends hanging tests. A passing test never takes this long, even on a busy machine.
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
          exclude: [...built, ...elsewhere, pages],
          setupFiles: ["test/fixed-seed.ts"],
        },
      },
      { extends: true, test: { name: "pages", include: [pages], exclude: elsewhere, isolate: true } },
      {
        extends: true,
        test: { name: "built", include: built, exclude: elsewhere, globalSetup: "test/package/built.ts" },
      },
    ],
  },
});
