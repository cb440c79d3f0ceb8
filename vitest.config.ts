import { defineConfig } from "vitest/config";

/** Tests of what is built: they wait for one build before the first of them runs. */
const built = ["package", "examples", "processes"].map((folder) => `test/${folder}/**/*.test.ts`);

/** Tests that run what the pages show, some of which replaces globals, such as `Response`. */
const pages = "test/docs/**/*.test.ts";

/** Tests that need more than `npm ci` installs: vitest.runtimes.config.ts and vitest.servers.config.ts. */
const elsewhere = ["runtimes", "tools", "servers", "faults", "backends/postgres"].map(
  (folder) => `test/${folder}/**`,
);

export default defineConfig({
  // `async-request-reply` is the source, as in tsconfig.json: no build is needed.
  resolve: { tsconfigPaths: true },
  test: {
    // Without it one processor is left to Vitest itself, which needs little of it: of two that is half of the machine.
    maxWorkers: "100%",
    // To load the library anew for every file takes as long as all tests of it. A file puts back whatever it replaces.
    isolate: false,
    // Ends what hangs. Nothing that works takes so long, however busy the machine is.
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: "source", include: ["test/**/*.test.ts"], exclude: [...built, ...elsewhere, pages] },
      },
      { extends: true, test: { name: "pages", include: [pages], isolate: true } },
      { extends: true, test: { name: "built", include: built, globalSetup: "test/package/built.ts" } },
    ],
  },
});
