import { defineConfig } from "vitest/config";

/** Tests of what is built: they wait for one build before the first of them runs. */
const built = ["package", "examples", "processes"].map((folder) => `test/${folder}/**/*.test.ts`);

/** Tests that need more than `npm ci` installs: vitest.runtimes.config.ts and vitest.servers.config.ts. */
const elsewhere = ["runtimes", "tools", "servers", "faults", "backends/postgres"].map(
  (folder) => `test/${folder}/**`,
);

export default defineConfig({
  // `async-request-reply` is the source, as in tsconfig.json: no build is needed.
  resolve: { tsconfigPaths: true },
  test: {
    projects: [
      {
        extends: true,
        test: { name: "source", include: ["test/**/*.test.ts"], exclude: [...built, ...elsewhere] },
      },
      { extends: true, test: { name: "built", include: built, globalSetup: "test/package/built.ts" } },
    ],
  },
});
