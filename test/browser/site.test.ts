import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { seriousViolations } from "./accessibility.js";
import { sitePaths, useSite } from "./built-site.js";
import { useChromium } from "./chromium.js";
import { findCutOff } from "./cut-off.js";

const address = useSite();
const openPage = useChromium();
const screenshots = join(import.meta.dirname, "../../docs/.vitepress/screenshots");
mkdirSync(screenshots, { recursive: true });

const sizes = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
];
// Decision pages are prose, like the pages that are opened here.
const paths = sitePaths().filter((path) => !/^\/decisions\/(?!README)/.test(path));

/** One page of each kind. */
const samples = [
  "/",
  "/quick-start/node",
  "/concepts",
  "/tasks",
  "/comparison",
  "/contract",
  "/reference/Services",
];

async function show(page: Page, path: string, waitUntil: "load" | "networkidle"): Promise<void> {
  await page.goto(address(path), { waitUntil });
  await page.evaluate("document.fonts.ready");
}

describe("a page of the site", () => {
  it.each(sizes)("shows everything at a width of $width px", { timeout: 300_000 }, async (size) => {
    const page = await openPage(address("/"));
    await page.setViewportSize(size);
    const problems: string[] = [];
    for (const path of paths) {
      await show(page, path, "load");
      problems.push(...(await findCutOff(page)).map((each) => `${path}: ${each}`));
    }
    expect(problems).toEqual([]);
  });
});

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  it.each(samples)("has no serious barrier, and looks like its screenshot: %s", async (path) => {
    const page = await openPage(address("/"));
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const { width, height } of sizes) {
      await page.setViewportSize({ width, height });
      await show(page, path, "networkidle");
      const name = path === "/" ? "home" : path.slice(1).replaceAll("/", "-");
      await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) });
      expect(await seriousViolations(page)).toEqual([]);
    }
  });
});

describe("a diagram", () => {
  it("is drawn, and its source is not shown", async () => {
    const page = await openPage(address("/concepts"));
    await page.locator(".diagram svg").getByText("pending").first().waitFor();
    expect(await page.locator("main").innerText()).not.toContain("stateDiagram");
  });
});

describe("the search", () => {
  it.each([
    ["retry", "Retries and failures"],
    ["priority", "Tenants"],
    ["dead letter", "States"],
    ["webhook", "Webhooks"],
    ["cron", "Running work on a schedule"],
  ])("finds a page about %s", async (word, title) => {
    const page = await openPage(address("/"));
    await page.locator("#local-search button").click();
    await page.locator("#localsearch-input").fill(word);
    await page.locator(".VPLocalSearchBox .results").getByText(title).first().waitFor();
    expect(await page.locator(".VPLocalSearchBox .no-results").count()).toBe(0);
  });
});

describe("the frame of the site", () => {
  it("shows the version, one table of contents, and the pages before and after", async () => {
    const page = await openPage(address("/workers"));
    await page
      .getByRole("link", { name: /^v\d+\.\d+\.\d+/ })
      .first()
      .waitFor();
    expect(await page.locator(".VPDocAsideOutline").count()).toBe(1);
    expect(await page.locator(".pager-link.prev .title").innerText()).toBe("Define work");
    expect(await page.locator(".pager-link.next .title").innerText()).toBe("Retries and failures");
  });

  it("greets with a name, a sentence, three actions and six features", async () => {
    const page = await openPage(address("/"));
    expect(await page.locator(".VPHero h1").innerText()).toContain("async-request-reply");
    expect(await page.locator(".VPHero .action").count()).toBe(3);
    expect(await page.locator(".VPFeature").count()).toBe(6);
  });
});
