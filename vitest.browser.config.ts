import { defineConfig } from "vitest/config";

/** Tests of the example page in Chromium, which the system provides. The folder has its own package.json. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    setupFiles: "test/setup.ts",
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    globalSetup: "test/package/built.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
