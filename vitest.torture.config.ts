import { defineConfig } from "vitest/config";
import { sqlAsText } from "./test/sql-as-text.js";

/** Long runs of the simulator and of races. Every file reads its own limits from the environment. */
export default defineConfig({
  plugins: [sqlAsText],
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.torture.ts"],
    // Some of them run processes of the built package.
    globalSetup: "test/package/built.ts",
    testTimeout: 0,
    hookTimeout: 0,
    reporters: "verbose",
  },
});
