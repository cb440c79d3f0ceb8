import { defineConfig } from "vitest/config";

/**
 * Tests with real servers: of back ends on a server that runs already, and with servers of their own that are killed, cut off
 * and filled up. One file at a time: each of them needs the machine.
 */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/backends/postgres/**/*.test.ts", "test/servers/**/*.test.ts", "test/faults/**/*.test.ts"],
    globalSetup: "test/package/built.ts",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
