import { defineConfig } from "vitest/config";
import { base, built, fixedSeed } from "./vitest.base.js";

const backend = ["test/backends/postgres/**/*.test.ts"];

/**
 * Tests with real servers. The back end's tests use a running server and one of the newest version. The fault tests
 * start servers that they kill, disconnect and fill up. Those of OpenTelemetry need `npm ci --prefix test/opentelemetry`.
 * Files run one at a time, because each needs the whole machine.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    fileParallelism: false,
    setupFiles: [...base.test.setupFiles, fixedSeed],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "postgres", include: backend } },
      {
        extends: true,
        test: {
          name: "newer postgres",
          include: backend,
          // These files do not depend on the version of Postgres.
          exclude: ["silence", "documentation", "progress", "run-for", "settings", "simulator-mutants"].map(
            (name) => `**/${name}.test.ts`,
          ),
          globalSetup: "test/backends/postgres/newer-server.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "opentelemetry",
          include: ["test/opentelemetry/**/*.test.ts"],
          globalSetup: built,
        },
      },
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/servers/**/*.test.ts", "test/faults/**/*.test.ts"],
          globalSetup: built,
        },
      },
    ],
  },
});
