import { type PlatformQuickStart, quickStarts } from "../../docs/quick-starts.js";
import { isNight } from "../../support/effort.js";
import type { Page } from "../../support/pages.js";
import { bun, deno, isSkipped, type Runtime } from "../matrix.js";
import { beginnings, nodesWithStores } from "./beginnings.js";

/** The platforms that need a runtime from `npm ci --prefix test/runtimes`. */
const runtimes = new Map([
  ["Bun", bun],
  ["Deno", deno],
]);

/**
 * The quick starts that are followed on one version of their platform. Next.js takes a minute to install and build, so before a
 * merge only its files run, in test/frameworks/next.test.ts.
 */
export const platforms = quickStarts.filter(
  ({ page, platform }) => !beginnings.includes(page) && (isNight || platform !== "Next.js"),
);

/**
 * Returns those that are followed with stores beside this version of Node. Those with a runtime besides Node are followed
 * once. Workers have no files, and need another driver of Postgres. A store that a bundler cannot bundle fails
 * test/package/bundle.test.ts.
 */
export function platformsWithStores(node: Runtime): readonly PlatformQuickStart[] {
  const isLast = node === nodesWithStores.at(-1);
  return platforms.filter(
    ({ platform }) => platform !== "Cloudflare Workers" && (isLast || !runtimes.has(platform)),
  );
}

/** Whether to skip tests of a platform: its runtime is not installed, and `CI` is not set. */
export function isPlatformSkipped({ platform }: PlatformQuickStart): boolean {
  const runtime = runtimes.get(platform);
  return runtime !== undefined && isSkipped(runtime);
}

/** Returns the exit code of a program after SIGTERM. `npx` ends itself by the signal. */
export function exitCodeOf({ text }: Page): 0 | null {
  return text.includes("next start") ? null : 0;
}
