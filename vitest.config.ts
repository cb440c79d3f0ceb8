import { defineConfig } from "vitest/config";
import { sqlAsText } from "./test/sql-as-text.js";

/** Tests of what is built: they wait for one build before the first of them runs. */
const built = ["package", "examples", "processes"].map((folder) => `test/${folder}/**/*.test.ts`);

/** Tests that run what the pages show, some of which replaces globals, such as `Response`. */
const pages = "test/docs/**/*.test.ts";

/** Tests that take long: vitest.long.config.ts. Tests that need more than `npm ci`: vitest.runtimes.config.ts, vitest.servers.config.ts. */
const elsewhere = [
  "test/**/*.long.test.ts",
  ...["runtimes", "tools", "servers", "faults", "backends/postgres"].map((folder) => `test/${folder}/**`),
];

export default defineConfig({
  // `async-request-reply` is the source, as in tsconfig.json: no build is needed.
  plugins: [sqlAsText],
  resolve: { tsconfigPaths: true },
  test: {
    // Without it one processor is left to Vitest itself, which needs little of it: of two that is half of the machine.
    maxWorkers: "100%",
    // To load the library anew for every file takes as long as all tests of it. A file puts back whatever it replaces.
    isolate: false,
    setupFiles: ["test/setup.ts"],
    // A test that asserts nothing cannot fail. A condition may come late on a busy machine.
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    // What the default observer writes. Tests that look at it replace the console.
    onConsoleLog: (log) => !log.startsWith("[async-request-reply]"),
    // Ends what hangs. Nothing that works takes so long, however busy the machine is.
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
      { extends: true, test: { name: "pages", include: [pages], isolate: true } },
      {
        extends: true,
        test: { name: "built", include: built, exclude: elsewhere, globalSetup: "test/package/built.ts" },
      },
    ],
  },
});
