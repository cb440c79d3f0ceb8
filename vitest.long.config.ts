import { defineConfig } from "vitest/config";
import { embeddedFilesInTests } from "./embedded-files.js";
import { sqlAsText } from "./test/sql-as-text.js";

/** Searches that also run in `npm test`, at a shorter length: see test/effort.ts. */
const searches = [
  "adapters/identity-generated",
  "adapters/node-storm",
  "backends/memory-growth",
  "backends/sqlite/simulator",
  "formats/fuzz/formats",
  "openapi/names",
  "testing/simulator",
];

/** The searches at full length, and slow tests. */
export default defineConfig({
  plugins: [sqlAsText, embeddedFilesInTests],
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.long.test.ts", ...searches.map((name) => `test/${name}.test.ts`)],
    env: { TEST_EFFORT: "long" },
    maxWorkers: "100%",
    setupFiles: ["test/setup.ts", "test/fixed-seed.ts"],
    globalSetup: "test/package/built.ts",
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    testTimeout: 180_000,
  },
});
