import { defineConfig } from "vitest/config";
import { embeddedFilesInTests } from "./embedded-files.js";
import { sqlAsText } from "./test/sql-as-text.js";

/** Long runs of the simulator, of fuzzing and of processes that are killed. Environment variables set their limits. */
export default defineConfig({
  plugins: [sqlAsText, embeddedFilesInTests],
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.torture.ts"],
    // Some files start processes of the built package.
    globalSetup: "test/package/built.ts",
    testTimeout: 0,
    hookTimeout: 0,
    reporters: "verbose",
  },
});
