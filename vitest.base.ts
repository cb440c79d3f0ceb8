import type { UserWorkspaceConfig } from "vitest/config";
import { embeddedFilesInTests, sqlFilesInTests } from "./embedded-files.js";
import { HANGING_MS, WAIT_MS } from "./test/support/patience.js";

export type TestOptions = NonNullable<UserWorkspaceConfig["test"]>;

/** Files that the package loads as text, and setup of every test. */
export const base = {
  // Resolves `async-request-reply` to the source, as in tsconfig.json, so that no build is needed.
  plugins: [sqlFilesInTests, embeddedFilesInTests],
  resolve: { tsconfigPaths: true },
  test: {
    setupFiles: ["test/support/setup.ts"],
    // The report of a run has only the messages of errors.
    chaiConfig: { truncateThreshold: 1_000 },
    // A test without assertions cannot fail.
    expect: { requireAssertions: true, poll: { timeout: WAIT_MS } },
    // Loading the library again for every file takes as long as its tests. Every file restores the globals it replaces.
    isolate: false,
    testTimeout: HANGING_MS,
    hookTimeout: HANGING_MS,
  },
} satisfies UserWorkspaceConfig;

/** Global setup that builds the package, for tests of the build. */
export const built = "test/support/built.ts";

/** Gives every run the same random values. */
export const fixedSeed = "test/support/fixed-seed.ts";

/** Hides the output of the default observer. Tests of that output replace the console. */
export const onConsoleLog = (log: string): boolean => !log.startsWith("[async-request-reply]");

/** How far tests outside of `npm test` go: see test/support/effort.ts. */
export const env = { TEST_EFFORT: process.env.TEST_EFFORT ?? "long" };

/** Tests that a script chooses with `--project`. */
export function project(name: string, test: TestOptions): UserWorkspaceConfig {
  return { ...base, test: { ...base.test, env, ...test, name } };
}
