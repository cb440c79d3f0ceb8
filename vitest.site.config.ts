import { defineConfig } from "vitest/config";

/** Tests of the built documentation site in Chromium. Run `npm --prefix docs run build` first. */
export default defineConfig({
  test: {
    include: ["test/browser/site.test.ts"],
    setupFiles: "test/setup.ts",
    expect: { requireAssertions: true },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
