import { defineConfig } from "vitest/config";
import { sqlAsText } from "./test/sql-as-text.js";

/** Tests that run in `npm test` too, where they search less: each asks `test/effort.ts` how far it goes. */
const searches = [
  "adapters/identity-generated",
  "adapters/node-storm",
  "formats/fuzz/formats",
  "openapi/names",
  "testing/simulator",
];

/** The searches at full length, and tests that take long because they wait for real time. */
export default defineConfig({
  plugins: [sqlAsText],
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
