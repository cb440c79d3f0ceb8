import { defineConfig } from "vitest/config";

/** Long runs of the simulator and of races. Every file reads its own limits from the environment. */
export default defineConfig({
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
