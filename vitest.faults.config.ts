import { defineConfig } from "vitest/config";

/**
 * Tests with servers of their own that are killed, cut off and filled up, and with processes of the built package. One file
 * at a time: each of them needs the machine.
 */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/servers/**/*.test.ts", "test/faults/**/*.test.ts"],
    globalSetup: "test/package/built.ts",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
