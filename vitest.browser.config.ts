import { defineConfig } from "vitest/config";
import { embeddedFilesInTests } from "./embedded-files.js";
import { sqlAsText } from "./test/sql-as-text.js";

/**
 * Tests of the console and of the example page in Chromium, which the system provides. The folder has its own
 * package.json. `vitest.site.config.ts` has the tests of the documentation site.
 */
export default defineConfig({
  plugins: [sqlAsText, embeddedFilesInTests],
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/browser/**/*.test.ts"],
    exclude: ["test/browser/site.test.ts"],
    setupFiles: "test/setup.ts",
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    globalSetup: "test/package/built.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
