import { describe, expect, it } from "vitest";
import { applyFilter, EXACT_TIME, filter, inBerlin, row, rowHeights, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

describe("someone who looks through failures", () => {
  it("sees who asked, and filters by it", async () => {
    const stage = await startConsole();
    const anns = await stage.end("is refused");
    const bobs = await stage.end("is refused", 0, 1);
    const page = await openConsole(`${stage.url}/?show=list`);
    expect(await row(page, bobs).getByRole("cell").nth(6).innerText()).toBe("bob");
    await applyFilter(page, () => filter(page, "Principal").fill("ann"));
    await row(page, bobs).waitFor({ state: "detached" });
    await page.getByRole("link", { name: anns }).click();
    await page.getByRole("heading", { name: `Operation ${anns}` }).waitFor();
    expect(await page.locator("dl").innerText()).toMatch(/Principal\s+ann/);
  });

  it("chooses operations to run again, and sees which are done", async () => {
    const stage = await startConsole();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await stage.end("needs the carrier"));
    const [first = "", second = "", third = ""] = ids;
    const page = await openConsole(`${stage.url}/?show=list`);
    const run = (count: number) => page.getByRole("button", { name: `Run ${count} chosen again` });
    expect(await run(0).isDisabled()).toBe(true);
    await page.getByLabel("All on this page").check();
    await page.getByLabel(`Choose ${third}`).uncheck();
    await run(2).click();
    await page.locator("#status").getByText("2 run again, 0 skipped.").waitFor();
    await page.getByText("Failed on this page: 1 open, 2 run again.").waitFor();
    const redriven = await Promise.all(ids.map(async (id) => (await stage.operator.get(id))?.retriedBy));
    expect(redriven.map((id) => id !== undefined)).toEqual([true, true, false]);
    expect(await row(page, first).getByRole("checkbox").count()).toBe(0);
    await applyFilter(page, () => filter(page, "Only open failures").check());
    await row(page, first).waitFor({ state: "detached" });
    expect(await row(page, third).count()).toBe(1);
    await page.goBack();
    await row(page, second)
      .getByRole("link", { name: `Run again as ${redriven[1]}` })
      .click();
    await page.getByRole("heading", { name: `Operation ${redriven[1]}` }).waitFor();
  });

  it("keeps what is chosen while the page refreshes", async () => {
    const stage = await startConsole();
    const id = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?show=list`);
    await page.getByLabel(`Choose ${id}`).check();
    await page.evaluate("document.activeElement.blur()");
    for (const count of [0, 1]) {
      const refreshed = page.waitForResponse(/api\/overview/);
      // The page refreshes when something changes.
      await stage.submit("completes");
      expect([count, (await refreshed).status()]).toEqual([count, 200]);
    }
    expect(await page.getByLabel(`Choose ${id}`).isChecked()).toBe(true);
  });

  it("reads exact times as titles", async () => {
    const stage = await startConsole();
    const id = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?show=list`, inBerlin);
    expect(await row(page, id).locator("time").getAttribute("title")).toMatch(EXACT_TIME);
  });

  it("scrolls little on a phone, where the ring of the heading fits its text", async () => {
    const stage = await startConsole();
    for (let count = 0; count < 40; count += 1) await stage.end("needs the carrier", 0, count % 3);
    const page = await openConsole(`${stage.url}/?show=list`, { viewport: { width: 390, height: 844 } });
    const heights = await rowHeights(page);
    expect(heights).toHaveLength(40);
    expect(Math.max(...heights)).toBeLessThanOrEqual(110);
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(6_000);
    const width = await page.evaluate("document.getElementById('list-title').offsetWidth");
    expect(width).toBeLessThan(250);
  });
});
