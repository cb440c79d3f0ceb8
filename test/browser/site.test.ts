import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isNight } from "../support/effort.js";
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
  ...["/", "/quick-start", "/why", "/reference/Services"],
  ...(isNight ? ["/concepts", "/guide", "/contract"] : []),
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
  async function openDiagram(): Promise<Page> {
    const page = await openPage(address("/concepts"));
    await page.locator(".diagram svg").getByText("pending").first().waitFor();
    return page;
  }

  it("is drawn, and its source is not shown", async () => {
    const page = await openDiagram();
    expect(await page.locator("main").innerText()).not.toContain("stateDiagram");
  });

  it("has no label that covers another one", async () => {
    const page = await openDiagram();
    const labels = await page
      .locator(".diagram .edgeLabel .edgeLabel")
      .evaluateAll((all) => all.map((label) => label.getBoundingClientRect().toJSON() as DOMRect));
    expect(labels.length).toBeGreaterThan(8);
    const covering = labels.flatMap((one, index) =>
      labels.slice(index + 1).filter((other) => {
        const besides = one.right <= other.left || other.right <= one.left;
        return !besides && one.top < other.bottom && other.top < one.bottom;
      }),
    );
    expect(covering).toEqual([]);
  });
});

describe("the tabs of the quick start", () => {
  const shown = (page: Page) => page.getByRole("tabpanel").locator("pre").nth(1).innerText();

  it("show the platform that is clicked, and put it into the address", async () => {
    const page = await openPage(address("/quick-start"));
    expect(await shown(page)).toContain("toNodeHandler");
    await page.getByRole("tab", { name: "Hono" }).click();
    expect(await shown(page)).toContain("new Hono()");
    expect(new URL(page.url()).hash).toBe("#hono");
  });

  it("show the platform of the address", async () => {
    const page = await openPage(address("/quick-start#cloudflare-workers"));
    await page.getByRole("tab", { name: "Cloudflare Workers", selected: true }).waitFor();
    expect(await shown(page)).toContain("createOperationsObject");
  });

  it("work with the keyboard", async () => {
    const page = await openPage(address("/quick-start"));
    const focused = page.locator("[role=tab]:focus");
    await page.getByRole("tab", { name: "Node.js" }).focus();
    for (const [key, name] of [
      ["ArrowRight", "Express"],
      ["End", "Cloudflare Workers"],
      ["ArrowRight", "Node.js"],
      ["ArrowLeft", "Cloudflare Workers"],
      ["Home", "Node.js"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused.innerText()).toBe(name);
      expect(await focused.getAttribute("aria-selected")).toBe("true");
    }
    await page.keyboard.press("Tab");
    expect(await page.getByRole("tabpanel").locator(":focus").count()).toBe(1);
  });
});

describe("the button that copies a session", () => {
  it("copies its commands, without prompts and output", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await openPage(address("/contract"), { permissions });
    await page.locator(".language-console .copy").first().click();
    await page.locator(".copy.copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.split("\n")).toEqual([
      "AUTH='Authorization: Bearer demo-token'",
      `curl -i localhost:3000/orders -H "$AUTH" -H 'Content-Type: application/json' \\`,
      `    -H 'Idempotency-Key: "order-1"' -d '{"itemId":"book","quantity":1}'`,
    ]);
  });
});

describe("a name in a table", () => {
  it.each(["/operating", "/contract", "/reference/Services"])("stays in one piece: %s", async (path) => {
    const page = await openPage(address(path));
    const names = page.locator(".vp-doc td:first-child code").filter({ hasText: /^[\w.?]{1,22}$/ });
    const pieces = await names.evaluateAll((all) => all.map((name) => name.getClientRects().length));
    expect(pieces.length).toBeGreaterThan(5);
    expect(Math.max(...pieces)).toBe(1);
  });
});

describe("a picture", () => {
  it.each(["/", "/operator"])("follows the scheme of the page, not of the system: %s", async (path) => {
    const page = await openPage(address(path), { colorScheme: "light" });
    const drawn = () =>
      page
        .locator(".VPContent img:visible")
        .evaluateAll((images: HTMLImageElement[]) => images.map((each) => each.src));
    expect(await drawn()).toEqual([expect.not.stringContaining("-dark")]);
    await page.evaluate(() => localStorage.setItem("vitepress-theme-appearance", "dark"));
    await page.reload();
    expect(await drawn()).toEqual([expect.stringContaining("-dark")]);
  });
});

/** Short forms of titles in the navigation bar. */
const SHORT: Readonly<Record<string, string>> = { Guide: "From nothing to production" };

describe("the title of a page", () => {
  it("is the text of its links in the sidebar and in the navigation bar", async () => {
    const page = await openPage(address("/concepts"));
    const links = await page
      .locator(".VPSidebarItem.level-1 a, .VPNavBarMenu a")
      .evaluateAll((all: HTMLAnchorElement[]) =>
        all.map(({ pathname, origin, textContent }) => ({ pathname, origin, text: textContent.trim() })),
      );
    const inside = links.filter(
      ({ origin, pathname }) => address("/").startsWith(origin) && pathname !== "/",
    );
    expect(inside.length).toBeGreaterThan(40);
    const titles = await page.evaluate(
      (paths) =>
        Promise.all(
          paths.map(async (path) => {
            const html = await (await fetch(path)).text();
            const heading = new DOMParser().parseFromString(html, "text/html").querySelector("h1");
            heading?.querySelector("a")?.remove();
            return heading?.textContent.trim();
          }),
        ),
      inside.map(({ pathname }) => pathname),
    );
    expect(inside.map(({ text }) => SHORT[text] ?? text)).toEqual(titles);
  });
});

describe("the index of the reference", () => {
  it("says what each module is for", async () => {
    const page = await openPage(address("/reference/"));
    const purposes = await page.locator(".VPContent tbody td:last-child").allInnerTexts();
    expect(purposes.length).toBeGreaterThan(25);
    expect(purposes.filter((purpose) => !/^[A-Z].{15,}\.$/s.test(purpose))).toEqual([]);
  });
});

describe("a page of the reference", () => {
  it("shows options next to functions, and type parameters after everything that a caller passes", async () => {
    const page = await openPage(address("/reference/Services"));
    const kinds = await page.locator(".vp-doc h2").evaluateAll((all) => all.map(({ id }) => id));
    expect(kinds.slice(0, 2)).toEqual(["functions", "options"]);
    const references = paths.filter((path) => path.startsWith("/reference/"));
    const followed = await page.evaluate(
      (places) =>
        Promise.all(
          places.map(async (place) => {
            const html = await (await fetch(place)).text();
            const all = [
              ...new DOMParser()
                .parseFromString(html, "text/html")
                .querySelectorAll("main h1, main h2, main h3, main h4, main h5, main h6"),
            ];
            const isLast = ({ id }: Element): boolean => /^type-parameters(-\d+)?$/.test(id);
            return all
              .filter((title, index) => {
                const next = all[index + 1];
                return isLast(title) && next !== undefined && next.tagName >= title.tagName && !isLast(next);
              })
              .map(({ id }) => `${place}#${id}`);
          }),
        ),
      references,
    );
    expect(followed.length).toBeGreaterThan(25);
    expect(followed.flat()).toEqual([]);
  });
});

describe("the frame of the site", () => {
  it("shows the version, one table of contents, and the pages before and after", async () => {
    const page = await openPage(address("/workers"));
    const version = page.getByRole("link", { name: /^v\d+\.\d+\.\d+/ });
    await version.first().waitFor();
    expect(await page.locator(".VPDocAsideOutline").count()).toBe(1);
    expect(await page.locator(".pager-link.prev .title").innerText()).toBe("Define work");
    expect(await page.locator(".pager-link.next .title").innerText()).toBe("Transactions");
  });

  it("greets with a name, a sentence, three actions, the installation, a 202 and six features", async () => {
    const page = await openPage(address("/"));
    expect(await page.locator(".VPHero h1").innerText()).toContain("async-request-reply");
    expect(await page.locator(".VPHero .action").count()).toBe(3);
    expect(await page.locator(".VPFeature").count()).toBe(6);
    expect(await page.locator(".VPHero .first-install").innerText()).toContain(
      "npm install async-request-reply",
    );
    expect(await page.locator(".VPHero .first-program").innerText()).toContain("HTTP/1.1 202 Accepted");
  });

  it("wraps no line of its program at 1280 px", async () => {
    const page = await openPage(address("/"));
    await page.setViewportSize({ width: 1_280, height: 800 });
    const heights = await page
      .locator(".first-program .line")
      .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(15);
    expect(Math.max(...heights)).toBeLessThan(2 * Math.min(...heights.filter((height) => height > 0)));
  });

  it.each(sizes)("shows at least five lines of code on the first screen, at $width px", async (size) => {
    const page = await openPage(address("/"));
    await page.setViewportSize(size);
    const lines = page.locator(".first-program .line");
    const box = await lines.nth(4).boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(size.height);
    expect(await lines.first().innerText()).toContain("import");
  });
});
