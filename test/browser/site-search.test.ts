import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useSite } from "./built-site.js";
import { useChromium } from "./chromium.js";

const address = useSite();
const openPage = useChromium();

describe("the search", () => {
  const isIndex = ({ pathname }: URL): boolean => pathname.includes("localSearchIndexroot");

  /** Searches from the home page, and returns the results when the first one is there. */
  async function search(word: string): Promise<Locator> {
    const page = await openPage(address("/"));
    await page.locator("#local-search button").click();
    await page.locator("#localsearch-input").fill(word);
    const found = page.locator(".VPLocalSearchBox .result");
    await found.first().waitFor();
    return found;
  }

  it.each([
    ["install", "/quick-start"],
    ["prisma", "/transactions"],
    // The guide is built with it.
    ["drizzle", "/guide"],
    ["cron", "/in-process"],
    ["tenant", "/authorization"],
    ["test", "/testing-your-service"],
    ["priority", "/authorization#priority"],
    ["retry", "/workers#retries-and-backoff"],
    ["maxAttempts", "/workers#options"],
    ["timeout", "/operating#timeouts"],
    ["dead letter", "/concepts#states"],
    ["webhook", "/webhooks"],
  ])("finds first for %s: %s", async (word, path) => {
    const found = await search(word);
    expect(await found.first().getAttribute("href")).toMatch(new RegExp(`^${path}(#|$)`));
  });

  it("finds retries of requests and of work", async () => {
    const found = await search("retry");
    const paths = await found.evaluateAll((links: HTMLAnchorElement[]) =>
      links.map((link) => new URL(link.href).pathname),
    );
    expect(paths).toEqual(expect.arrayContaining(["/idempotency", "/workers"]));
  });

  it("loads at most 400 KB, and says so until they are there", async () => {
    const page = await openPage(address("/"));
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route(isIndex, async (route) => {
      await opened;
      await route.continue();
    });
    const loaded = page.waitForResponse((response) => isIndex(new URL(response.url())));
    await page.locator("#local-search button").click();
    await page.locator("#localsearch-input").fill("retry");
    const shown = () =>
      page
        .locator(".VPLocalSearchBox .results")
        .evaluate((results) => getComputedStyle(results, "::before").content);
    await expect.poll(shown).toBe('"Loading…"');
    open();
    await page.locator(".VPLocalSearchBox .result").first().waitFor();
    expect(await shown()).toBe("none");
    expect((await (await loaded).body()).length).toBeLessThanOrEqual(400_000);
  });
});
