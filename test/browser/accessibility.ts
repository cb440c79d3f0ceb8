import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

/** Returns the findings of axe-core, each with the elements that it is about. */
export async function violations(
  page: Page,
  isMeant: (impact: string) => boolean = () => true,
): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return found.violations
    .filter(({ impact }) => isMeant(impact ?? ""))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}

/** Returns the serious and critical findings. */
export function seriousViolations(page: Page): Promise<string[]> {
  return violations(page, (impact) => impact === "serious" || impact === "critical");
}
