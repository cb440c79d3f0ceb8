import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { violations } from "./accessibility.js";
import { type OpenPage, useChromium } from "./chromium.js";
import { CREDENTIALS } from "./console-stage.js";

/** Opens a view of the console, after its page was prepared, and fails the test if the page breaks its own policy or throws. */
export type OpenConsole = (
  url: string,
  options?: BrowserContextOptions,
  access?: keyof typeof CREDENTIALS,
  prepare?: (page: Page) => Promise<unknown> | undefined,
) => Promise<Page>;

/** Starts Chromium for the tests of a file, to open consoles in it. */
export function useConsole(): { readonly openPage: OpenPage; readonly openConsole: OpenConsole } {
  const openPage = useChromium();
  const openConsole: OpenConsole = async (url, options = {}, access = "operate", prepare = undefined) => {
    const page = await openPage("about:blank", { httpCredentials: CREDENTIALS[access], ...options });
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    onTestFinished(() => expect(problems).toEqual([]));
    // A page that refreshes itself can be in the middle of a request.
    onTestFinished(async () => {
      if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
    });
    await prepare?.(page);
    await page.goto(url);
    await page.locator("main[aria-busy=false]").waitFor();
    return page;
  };
  return { openPage, openConsole };
}

/**
 * The texts of all visible elements at one moment. A refresh could replace elements between two calls, and then their texts have no
 * lines.
 */
export async function textsOf(page: Page, selector: string): Promise<string[]> {
  const all = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
  const texts = `${all}.filter((each) => each.checkVisibility()).map((each) => each.innerText)`;
  return (await page.evaluate(texts)) as string[];
}

/** The row of an operation. */
export const row = (page: Page, id: string) => page.getByRole("row").filter({ hasText: id });

/** A field of the filter, which is closed at first. */
export const filter = (page: Page, label: string) => page.locator("#filters").getByLabel(label);

/** Opens the filter, changes it and applies it. */
export async function applyFilter(page: Page, change: () => Promise<unknown>): Promise<void> {
  await page.locator("summary", { hasText: "Filters" }).click();
  await change();
  await page.getByRole("button", { name: "Apply" }).click();
}

/** The links to the lists and to the groups of failures. */
export const views = (page: Page) => page.getByRole("navigation", { name: "Views" });

/** The heights of the rows of the list. */
export async function rowHeights(page: Page): Promise<number[]> {
  const heights = "[...document.querySelectorAll('#rows tbody tr')].map((row) => row.offsetHeight)";
  return (await page.evaluate(heights)) as number[];
}

/** Options of a page whose exact times look like this. */
export const inBerlin: BrowserContextOptions = { locale: "en-US", timezoneId: "Europe/Berlin" };
export const EXACT_TIME = /^\w{3} \d+, \d{4}, \d+:\d{2}:\d{2} [AP]M GMT\+[12]$/;

/** Nothing sticks out of a page, and it has no barriers. */
export async function expectToFit(page: Page, place: string): Promise<void> {
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  expect(overflow, place).toBeLessThanOrEqual(0);
  expect(await violations(page), place).toEqual([]);
}
