import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/**
 * The example for MCP runs from its sources, with the SDK that it installs. Its tests are left out if the SDK is
 * missing, or fail if `CI` is set.
 */
const mcp = existsSync("examples/mcp-tools/node_modules") || process.env.CI ? ["examples/mcp-tools"] : [];

/**
 * Tests of the packed package with other runtimes and public tools. Each folder has its own package.json. Tests of
 * a missing program are skipped by name, or fail if `CI` is set.
 */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/runtimes", "test/tools", ...mcp].map((folder) => `${folder}/**/*.test.ts`),
    setupFiles: "test/setup.ts",
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    globalSetup: "test/package/built.ts",
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
