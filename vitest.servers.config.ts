import { defineConfig } from "vitest/config";
import { isNight } from "./test/support/effort.js";
import { base, built, env, fixedSeed } from "./vitest.base.js";

const { DATABASE_URL, PGHOST } = process.env;
const onPostgres = (...names: string[]) => names.map((name) => `test/backends/postgres/${name}.test.ts`);

/** Tests of everything that a version of Postgres can change, besides plans. */
const dependingOnVersion = ["isolation*", "live-entries", "migration*", "places*", "suites"];

/**
 * Tests with real servers. The back end's tests use their own servers: the system's Postgres, and the newest version for
 * plans, or at night for everything that a version can change. The fault tests start servers that they kill, disconnect and fill up. Those of
 * OpenTelemetry need `npm ci --prefix test/opentelemetry`. Two files run at a time.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    env,
    // Files share a server that the environment names, so they run one at a time.
    maxWorkers: DATABASE_URL === undefined && PGHOST === undefined ? 2 : 1,
    setupFiles: [...base.test.setupFiles, fixedSeed],
    projects: [
      {
        extends: true,
        test: {
          name: "postgres",
          include: onPostgres("*"),
          globalSetup: "test/backends/postgres/worker-servers.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "newest postgres",
          include: onPostgres("plan*", "turns", ...(isNight ? dependingOnVersion : [])),
          globalSetup: "test/backends/postgres/newest-servers.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "opentelemetry",
          include: ["test/opentelemetry/**/*.test.ts"],
          globalSetup: built,
        },
      },
      {
        extends: true,
        test: {
          name: "servers",
          include: ["test/servers/**/*.test.ts", "test/faults/**/*.test.ts"],
          globalSetup: built,
        },
      },
    ],
  },
});
