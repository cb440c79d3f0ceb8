import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** Opens a page in a new profile, which has no storage yet. It is closed when the test ends. */
export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<Page>;

/** Starts Chromium for the tests of a file. Debian installs it at this place; `CHROMIUM` names another one. */
export function useChromium(): OpenPage {
  let browser: Browser;
  beforeAll(async () => {
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    // Containers run as root, which Chromium only allows without its sandbox.
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  });
  afterAll(() => browser.close());
  return async (url, options) => {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
}
