import { defineConfig } from "vitest/config";
import { sqlAsText } from "./test/sql-as-text.js";

const backend = ["test/backends/postgres/**/*.test.ts"];

/**
 * Tests with real servers: of the back end on a server that runs already and on one of the newest version, and with servers
 * of their own that are killed, cut off and filled up. One file at a time: each of them needs the machine.
 */
export default defineConfig({
  plugins: [sqlAsText],
  resolve: { tsconfigPaths: true },
  test: {
    fileParallelism: false,
    setupFiles: ["test/setup.ts", "test/fixed-seed.ts"],
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "postgres", include: backend } },
      {
        extends: true,
        test: {
          name: "newer postgres",
          include: backend,
          // What does not depend on the version: the network, settings, the pages of the documentation, and what the simulator finds.
          exclude: ["silence", "documentation", "simulator-mutants", "settings"].map(
            (name) => `**/${name}.test.ts`,
          ),
          globalSetup: "test/backends/postgres/newer-server.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/servers/**/*.test.ts", "test/faults/**/*.test.ts"],
          globalSetup: "test/package/built.ts",
        },
      },
    ],
  },
});
