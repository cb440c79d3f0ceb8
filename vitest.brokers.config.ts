import { defineConfig } from "vitest/config";
import { sqlAsText } from "./test/sql-as-text.js";

/**
 * Tests with real message brokers, which they start, stop and kill. They need `npm ci --prefix test/brokers` and the
 * Debian packages `rabbitmq-server`, `nats-server` and `redis-server`. Files run one at a time.
 */
export default defineConfig({
  plugins: [sqlAsText],
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/brokers/**/*.test.ts"],
    globalSetup: "test/package/built.ts",
    fileParallelism: false,
    setupFiles: ["test/setup.ts", "test/fixed-seed.ts"],
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    // Hides the output of the default observer.
    onConsoleLog: (log) => !log.startsWith("[async-request-reply]"),
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
