import { defineConfig } from "vitest/config";

/**
 * Tests with other runtimes and with tools of the public, over what is built and packed. Their folders have a package.json
 * of their own: what it installs and is not there is skipped by name, or with CI=true fails.
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
