import { defineConfig } from "vitest/config";

/**
 * Tests of the packed package with other runtimes and public tools. Both folders have their own package.json. Tests of
 * a missing program are skipped by name, or fail if `CI` is set.
 */
export default defineConfig({
  test: {
    include: ["test/runtimes/**/*.test.ts", "test/tools/**/*.test.ts"],
    setupFiles: "test/setup.ts",
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    globalSetup: "test/package/built.ts",
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
