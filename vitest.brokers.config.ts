import { defineConfig } from "vitest/config";
import { embeddedFilesInTests } from "./embedded-files.js";
import { sqlAsText } from "./test/sql-as-text.js";

const filesOf = (...names: string[]) => names.map((name) => `test/brokers/${name}.test.ts`);

/** Tests that stop, kill and cut off brokers. */
const outages = filesOf("outages", "particular-outages");
/** Tests of each broker with Postgres, and of NATS with SQLite. They take about 15 minutes, and run outside of CI. */
const mixes = filesOf("faults", "stores", "switching", "orders-server");

/**
 * Tests with real message brokers, which they start themselves. They need `npm ci --prefix test/brokers` and the Debian
 * packages `rabbitmq-server`, `nats-server` and `redis-server`. Files run one at a time.
 */
export default defineConfig({
  plugins: [sqlAsText, embeddedFilesInTests],
  resolve: { tsconfigPaths: true },
  test: {
    globalSetup: "test/package/built.ts",
    fileParallelism: false,
    setupFiles: ["test/setup.ts", "test/fixed-seed.ts"],
    // An announcement that gets lost is repeated after 30 s.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    // Hides the output of the default observer.
    onConsoleLog: (log) => !log.startsWith("[async-request-reply]"),
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "brokers", include: ["test/brokers/*.test.ts"], exclude: [...outages, ...mixes] },
      },
      { extends: true, test: { name: "outages", include: outages } },
      { extends: true, test: { name: "mixes", include: mixes } },
      { extends: true, test: { name: "clusters", include: ["test/brokers/clusters/*.test.ts"] } },
    ],
  },
});
