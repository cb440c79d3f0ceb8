import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { isNight } from "./test/support/effort.js";
import { base, built, fixedSeed, onConsoleLog, project, type TestOptions } from "./vitest.base.js";

const seeded = [...base.test.setupFiles, fixedSeed];

/** Tests of which `npm test` runs a part: see test/support/effort.ts. */
const partial = [
  "adapters/express",
  "adapters/identity-corpora",
  "adapters/identity-generated",
  "adapters/lambda-streams",
  "backends/memory-growth",
  "backends/sqlite/*",
  "contract/visible-operation",
  "formats/fuzz/formats",
  "formats/retries-generated",
  "formats/strict-json",
  "formats/xml",
  "formats/yaml",
  "formats/yaml-corpora",
  "formats/yaml-writing",
  "formats/yang",
  "http/failures-keys",
  "http/streaming/crowd",
  "openapi/names",
  "testing/simulator",
  "worker/run-for",
];

/** The whole of these tests, and slow tests. */
const long = project("long", {
  include: ["test/**/*.long.test.ts", ...partial.map((name) => `test/${name}.test.ts`)],
  maxWorkers: "100%",
  setupFiles: seeded,
  globalSetup: built,
  // A search of the night takes ten times as long.
  ...(isNight ? { testTimeout: 1_800_000 } : {}),
});

/**
 * The example for MCP runs from its sources, with the SDK that it installs. Its tests are left out if the SDK is
 * missing, or fail if `CI` is set.
 */
const mcp = existsSync("examples/mcp-tools/node_modules") || process.env.CI ? ["examples/mcp-tools"] : [];

/**
 * The packed package with other runtimes and public tools. Each folder has its own package.json. Tests of a missing
 * program are skipped by name, or fail if `CI` is set.
 */
const runtimes = project("runtimes", {
  include: ["test/runtimes", "test/tools", ...mcp].map((folder) => `${folder}/**/*.test.ts`),
  globalSetup: built,
  // Most of them wait for programs that they run.
  maxConcurrency: 2,
});

/** Publishes to a registry on this machine, and installs from it. It builds the package itself, as a release does. */
const rehearsal = project("rehearsal", {
  include: ["test/registry/**/*.test.ts"],
  maxConcurrency: 2,
  hookTimeout: 480_000,
});

/** The frameworks that the pages show, with the packed package. The folder has its own package.json. */
const frameworks = project("frameworks", {
  include: ["test/frameworks/**/*.test.ts"],
  globalSetup: built,
  maxConcurrency: 2,
});

/** The documentation site in Chromium. Run `npm --prefix docs run build` first. */
const site = project("site", { include: ["test/browser/site*.test.ts"] });

/** The console and the example page in Chromium, which the system provides. The folder has its own package.json. */
const browser = project("browser", {
  include: ["test/browser/**/*.test.ts"],
  exclude: ["test/browser/site*.test.ts"],
  globalSetup: built,
});

/** ORMs on Postgres. Run `npm ci --prefix test/orms` first. */
const orms = project("orms", {
  include: ["test/orms/**/*.test.ts"],
  setupFiles: seeded,
  globalSetup: [built, "test/orms/generate-client.ts"],
  fileParallelism: false,
});

/** Long runs of the simulator, of fuzzing and of processes that are killed. Environment variables set their limits. */
const torture = project("torture", {
  include: ["test/**/*.torture.ts"],
  setupFiles: [],
  expect: {},
  globalSetup: built,
  testTimeout: 0,
  hookTimeout: 0,
});

/**
 * Processes of the previous release beside those of this checkout. They need the Debian package `postgresql`, and the tags
 * of the repository.
 */
const upgrade = project("upgrade", {
  include: ["test/upgrade/**/*.test.ts"],
  globalSetup: built,
  // A scene of the night acts for 75 seconds, and may need two minutes to end.
  testTimeout: 600_000,
});

const brokerFiles = (...names: string[]) => names.map((name) => `test/brokers/${name}.test.ts`);
/** Tests that stop, kill and cut off brokers. Those of long outages run at night. */
const outages = brokerFiles("outages", "particular-outages");
const longOutages = brokerFiles("*.night");
/** Tests of each broker with Postgres, and of NATS with SQLite. They take about 15 minutes, and run at night. */
const mixes = brokerFiles("faults", "stores", "switching", "orders-server");

/**
 * Tests with real message brokers, which they start themselves. They need `npm ci --prefix test/brokers` and the Debian
 * packages `rabbitmq-server`, `nats-server` and `redis-server`.
 */
function onBrokers(name: string, include: string[], options: TestOptions = {}) {
  return project(name, {
    include,
    globalSetup: built,
    fileParallelism: false,
    setupFiles: seeded,
    ...options,
  });
}

/** Starts each broker once for all files. */
const sharing: TestOptions = { globalSetup: [built, "test/brokers/shared-brokers.ts"] };
const twoAtATime: TestOptions = { fileParallelism: true, maxWorkers: 2 };

/** Tests outside of `npm test`, except for those with real servers. Scripts of package.json choose a project. */
export default defineConfig({
  test: {
    onConsoleLog,
    projects: [
      long,
      runtimes,
      rehearsal,
      orms,
      frameworks,
      browser,
      site,
      torture,
      upgrade,
      onBrokers("brokers", ["test/brokers/*.test.ts"], {
        ...sharing,
        ...twoAtATime,
        exclude: [...outages, ...longOutages, ...mixes],
      }),
      onBrokers("outages", isNight ? [...outages, ...longOutages] : outages, twoAtATime),
      onBrokers("mixes", mixes, sharing),
      onBrokers("clusters", ["test/brokers/clusters/*.test.ts"]),
    ],
  },
});
