import { type PlatformQuickStart, quickStarts } from "../../docs/quick-starts.js";
import type { Page } from "../../support/pages.js";
import { bun, deno, isSkipped } from "../matrix.js";
import { beginnings } from "./beginnings.js";

/** The platforms that need a runtime from `npm ci --prefix test/runtimes`. */
const runtimes = new Map([
  ["Bun", bun],
  ["Deno", deno],
]);

/** The quick starts that are followed on one version of their platform. */
export const platforms = quickStarts.filter(({ page }) => !beginnings.includes(page));

/** Those on which the stores of the pages run. Workers have no files, and need another driver of Postgres. */
export const platformsWithStores = platforms.filter(({ platform }) => platform !== "Cloudflare Workers");

/** Whether to skip tests of a platform: its runtime is not installed, and `CI` is not set. */
export function isPlatformSkipped({ platform }: PlatformQuickStart): boolean {
  const runtime = runtimes.get(platform);
  return runtime !== undefined && isSkipped(runtime);
}

/** Returns the exit code of a program after SIGTERM. Next.js ends its own process by the signal. */
export function exitCodeOf({ text }: Page): 0 | null {
  return text.includes("next start") ? null : 0;
}
