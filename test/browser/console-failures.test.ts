import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  applyFilter,
  EXACT_TIME,
  expectToFit,
  filter,
  inBerlin,
  type OpenConsole,
  rowHeights,
  useConsole,
  views,
} from "./console-page.js";
import { fill, startConsole } from "./console-stage.js";
import { takePicture } from "./take-picture.js";

const { openConsole } = useConsole();

const REASON = "The processor threw CarrierError ECONNREFUSED: connect *:*";

const openFailures: OpenConsole = async (url, ...given) => {
  const page = await openConsole(`${url}/?show=failures`, ...given);
  await page.getByRole("heading", { name: "Failures" }).waitFor();
  return page;
};

const rows = (page: Page) => page.locator("#rows tbody tr");
const reason = (page: Page) => rows(page).filter({ hasText: REASON });
const cell = (page: Page, title: string) => reason(page).locator(`td[data-title="${title}"]`);

describe("the groups of failures", () => {
  it("have one row for each reason, the most recent first, which leads to its list and back", async () => {
    const stage = await startConsole();
    const ids = [];
    for (const tenant of [0, 1, 2]) ids.push(await stage.end("needs the carrier", 0, tenant));
    const refused = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?show=list`);
    await views(page).getByRole("link", { name: "Failures" }).click();
    await page.getByRole("heading", { name: "Failures" }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("list-title");
    expect(await rows(page).count()).toBe(2);
    expect(await rows(page).first().innerText()).toContain("The item is out of stock.");
    expect(await rows(page).last().innerText()).toMatch(
      /connect \*:\*\s+orders\s+attempts-exhausted\s+3\s+3/,
    );
    await reason(page).getByRole("link", { name: REASON }).click();
    await page.getByRole("heading", { name: "Failed operations" }).waitFor();
    expect(await rows(page).count()).toBe(3);
    for (const id of ids) expect(await rows(page).filter({ hasText: id }).count()).toBe(1);
    expect(await filter(page, "Message").inputValue()).toBe(REASON);
    expect(await filter(page, "Definition").inputValue()).toBe("orders");
    const first = rows(page).filter({ hasText: ids[0] ?? "" });
    await applyFilter(page, () => filter(page, "Tenant").fill("globex"));
    await first.waitFor({ state: "detached" });
    expect(await rows(page).count()).toBe(1);
    await page.getByRole("link", { name: "Remove the filter: Tenant globex" }).click();
    await first.waitFor();
    await views(page).getByRole("link", { name: "Failures" }).click();
    await rows(page).filter({ hasText: "The item is out of stock." }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Failed operations" }).waitFor();
    expect(await rows(page).filter({ hasText: refused }).count()).toBe(0);
  });

  it("are narrowed by the filter, which the list keeps", async () => {
    const stage = await startConsole();
    const anns = await stage.end("needs the carrier");
    const bobs = await stage.end("needs the carrier", 0, 1);
    const page = await openFailures(stage.url);
    expect(await cell(page, "Count").innerText()).toBe("2");
    await applyFilter(page, () => filter(page, "Principal").fill("ann"));
    await expect.poll(() => cell(page, "Count").innerText()).toBe("1");
    await reason(page).getByRole("link", { name: REASON }).click();
    await rows(page).filter({ hasText: anns }).waitFor();
    expect(await rows(page).filter({ hasText: bobs }).count()).toBe(0);
  });

  it("can be run again as a whole, by keyboard alone", async () => {
    const stage = await startConsole();
    for (let count = 0; count < 3; count += 1) await stage.end("needs the carrier");
    const refused = await stage.end("is refused");
    const page = await openFailures(stage.url);
    const label = `Run again orders: ${REASON}`;
    const focused = "document.activeElement.getAttribute('aria-label')";
    for (let count = 0; count < 100 && (await page.evaluate(focused)) !== label; count += 1)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("have not been run again: 3.").waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByText("Done. 3 run again, 0 skipped.").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => cell(page, "Open").innerText()).toBe("0");
    expect(await cell(page, "Count").innerText()).toBe("3");
    expect(await reason(page).getByRole("button").count()).toBe(0);
    expect((await stage.operator.list({ status: "pending" })).operations).toHaveLength(3);
    expect((await stage.operator.get(refused))?.retriedBy).toBeUndefined();
    await applyFilter(page, () => filter(page, "Only open failures").check());
    await reason(page).waitFor({ state: "detached" });
    expect(await rows(page).count()).toBe(1);
  });

  it("can be read by those who may only observe", async () => {
    const stage = await startConsole();
    await stage.end("needs the carrier");
    const page = await openFailures(stage.url, {}, "observe");
    expect(await cell(page, "Open").innerText()).toBe("1");
    expect(await rows(page).getByRole("button").count()).toBe(0);
  });

  it("are read again only when asked, because that reads many operations", async () => {
    const stage = await startConsole();
    await stage.end("needs the carrier");
    const page = await openFailures(stage.url);
    const paths: string[] = [];
    page.on("request", (request) => paths.push(new URL(request.url()).pathname));
    await stage.end("needs the carrier");
    await page.locator("#rail .badge").getByText("2").waitFor();
    expect(paths.filter((path) => path.endsWith("/api/failures"))).toEqual([]);
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(() => cell(page, "Count").innerText()).toBe("2");
  });

  it.each(["light", "dark"] as const)("fit and are accessible in %s colors", async (colorScheme) => {
    const stage = await startConsole();
    await fill(stage);
    for (const width of [390, 820, 1280]) {
      const viewport = { width, height: 900 };
      const page = await openFailures(stage.url, { viewport, colorScheme });
      await expectToFit(page, `at ${width} px`);
      expect(Math.max(...(await rowHeights(page))), `at ${width} px`).toBeLessThan(150);
      await rows(page).last().scrollIntoViewIfNeeded();
      await takePicture(page, `console-failures-${width}-${colorScheme}`);
      await page.close();
    }
  });

  it("have exact times as titles", async () => {
    const stage = await startConsole();
    await stage.end("needs the carrier");
    const page = await openFailures(stage.url, inBerlin);
    for (const title of ["First", "Last"])
      expect(await cell(page, title).locator("time").getAttribute("title")).toMatch(EXACT_TIME);
  });
});
