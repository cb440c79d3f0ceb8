import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { EXACT_TIME, expectToFit, inBerlin, row, useConsole } from "./console-page.js";
import { FILL_MS, fill, startConsole } from "./console-stage.js";
import { takePicture } from "./take-picture.js";

const { openConsole } = useConsole();

const health = (page: Page) => page.locator("#health");
const definitions = (page: Page) => page.locator("#definitions");
const rowOf = (page: Page, name: string) => definitions(page).getByRole("row").filter({ hasText: name });
const rail = (page: Page) => page.getByRole("navigation", { name: "Definitions" });
const reasons = (page: Page) => page.locator("#reasons tbody tr");
const ranges = (page: Page) => page.getByRole("navigation", { name: "Range of the charts" });
const refresh = (page: Page) => page.getByRole("button", { name: "Refresh" }).click();

/** Cells of numbers and of times. */
const NUMBERS = ["Count", "Open", "Due", "Oldest due", "Failed", "Completed", "Median", "95 %"]
  .map((title) => `[data-title='${title}']`)
  .join();
const LONG = "The processor threw Error: The connection to the source was lost after * rows. ".repeat(3);

describe("the first screen", () => {
  it("says in one line that nothing is to do, that work flows, and who paused it", async () => {
    const stage = await startConsole(180_000);
    const page = await openConsole(stage.url);
    expect(await health(page).innerText()).toMatch(/Idle\s+orders nothing to do/);
    await page.getByText("Nothing has failed, or all of it was run again.").waitFor();
    await stage.end("completes");
    await refresh(page);
    await expect
      .poll(() => health(page).innerText())
      .toMatch(/Flowing\s+orders 1 completed in the last hour/);
    await stage.submit("completes", 1);
    await stage.operator.pause("invoices", { by: "ann" });
    await refresh(page);
    await expect
      .poll(() => health(page).innerText())
      .toMatch(/Paused\s+invoices paused by ann since .*\d:\d\d.*, 1 wait\.$/);
    expect(await rowOf(page, "invoices").innerText()).toMatch(/paused since .+ by ann/);
    await expectToFit(page, "a pause");
  });

  it("says what fails and what is behind, the worst first", async () => {
    const stage = await startConsole(600_000);
    await stage.submit("completes", 1);
    await stage.operator.pause("invoices");
    await stage.end("is refused");
    await stage.operator.resume("invoices");
    const page = await openConsole(stage.url);
    expect(await health(page).innerText()).toMatch(
      /^Failing\s+orders 1 failed, the latest \d+ min ago; invoices 1 due, the oldest for 3 min, no worker runs any\.$/,
    );
    await health(page).getByRole("link", { name: "invoices" }).click();
    await page.getByRole("heading", { level: 2, name: "invoices" }).waitFor();
    expect(await health(page).innerText()).toMatch(/^Behind\s+1 due/);
    expect(await reasons(page).count()).toBe(0);
  });

  it("does not call failures of earlier a failing definition, but names them", async () => {
    const stage = await startConsole();
    await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?show=overview&definition=orders`);
    expect(await health(page).innerText()).toMatch(/^Idle\s+nothing to do, 1 failed before the last hour\.$/);
    expect(await reasons(page).count()).toBe(1);
  });

  it("has a row for each definition, and leads from a count to its list", async () => {
    const stage = await startConsole();
    await stage.end("is refused", 1);
    const due = await stage.submit("completes", 1);
    const page = await openConsole(stage.url);
    await definitions(page).getByText("Completed and times: last 1 h, all processes.").waitFor();
    await rowOf(page, "invoices").getByRole("link", { name: "1 due: list invoices" }).click();
    await row(page, due).waitFor();
    expect(await rail(page).getByRole("link", { name: "invoices" }).innerText()).toMatch(/1\s+failed$/);
  });

  it("draws what completed and failed in an hour, a day or a week", async () => {
    const stage = await startConsole();
    await stage.end("completes", 1);
    await stage.end("is refused", 1);
    const page = await openConsole(stage.url);
    const line = rowOf(page, "invoices").locator(".sparkline");
    expect(await line.innerText()).toBe("0 completed, 0 failed");
    await ranges(page).getByRole("link", { name: "24 h" }).click();
    await definitions(page).getByRole("columnheader", { name: "Last 24 h" }).waitFor();
    expect(await ranges(page).locator("[aria-current]").innerText()).toBe("24 h");
    expect(await line.innerText()).toBe("1 completed, 1 failed");
    expect(await line.locator("rect.completed, rect.failed").count()).toBe(2);
    // The state does not depend on the range.
    expect(await health(page).innerText()).toMatch(/^Idle/);
    await rowOf(page, "invoices").getByRole("link", { name: "invoices", exact: true }).click();
    await page.getByText(/A bar is 20 min, at most [12]\./).waitFor();
    await ranges(page).getByRole("link", { name: "7 d" }).click();
    await page.getByText(/A bar is 2 h, at most [12]\./).waitFor();
    expect(await page.locator("#charts rect.completed, #charts rect.failed").count()).toBe(2);
    await page.getByText("Time to the end: up to 2 s.").waitFor();
    await page.goBack();
    await page.getByText("A bar is 20 min").waitFor();
  });

  it("groups open failures, most recent first, reads them again when there are more, and runs them", async () => {
    const stage = await startConsole();
    await stage.end("needs the carrier");
    await stage.end("is refused");
    const page = await openConsole(stage.url, inBerlin);
    expect(await reasons(page).first().innerText()).toContain("The item is out of stock.");
    expect(await reasons(page).last().innerText()).toContain("CarrierError");
    expect(await reasons(page).first().locator("time").first().getAttribute("title")).toMatch(EXACT_TIME);
    await reasons(page)
      .first()
      .getByRole("button", { name: /^Run again/ })
      .click();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("dialog").getByText("Done. 1 run again, 0 skipped.").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => reasons(page).count()).toBe(1);
    await page.getByRole("link", { name: "All failures by reason" }).click();
    await page.getByRole("heading", { name: "Failures by reason" }).waitFor();
  });

  it.each(["/", "/?show=overview&definition=orders"])("does not move what it has shown: %s", async (path) => {
    const stage = await startConsole(900_000);
    await stage.end("is refused");
    const page = await openConsole(stage.url + path);
    await page.evaluate(`new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shift = (globalThis.shift ?? 0) + value;
    }).observe({ type: "layout-shift", buffered: true })`);
    await stage.end("completes");
    await page.getByText("1 completed, 1 failed").first().waitFor({ state: "attached" });
    expect(await page.evaluate("globalThis.shift ?? 0")).toBeLessThanOrEqual(0.05);
  });

  it("opens definitions with the keyboard", async () => {
    const stage = await startConsole();
    const page = await openConsole(stage.url);
    for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("heading", { level: 2, name: "invoices" }).waitFor();
    expect(new URL(page.url()).searchParams.get("definition")).toBe("invoices");
  });

  it("keeps large numbers and times in one line", async () => {
    const stage = await startConsole(600_000);
    await stage.end("is refused");
    const page = await openConsole(
      stage.url,
      { viewport: { width: 1_280, height: 900 } },
      "operate",
      (prepared) =>
        prepared.route("**/api/{overview,failures}*", async (route) => {
          const response = await route.fetch();
          const { stats, groups, recent, ...rest } = await response.json();
          const many = { count: 9_876, more: false };
          await route.fulfill({
            response,
            json: {
              ...rest,
              stats: stats?.map((each: object) => ({
                ...each,
                due: many,
                failed: many,
                oldestDueMs: 1_200_000,
              })),
              recent: recent && {
                ...recent,
                work: recent.work.map((each: object) => ({
                  ...each,
                  completed: 56_652,
                  medianMs: 206,
                  p95Ms: 1_100_000,
                })),
              },
              groups: groups?.map((each: object) => ({ ...each, count: 9_876, open: 9_876, message: LONG })),
            },
          });
        }),
    );
    await page.getByText("56,652").first().waitFor();
    await reasons(page).getByText("9,876").first().waitFor();
    const lines = `[...document.querySelectorAll("#overview-content td:is(${NUMBERS})")].map((each) => {
      const range = document.createRange();
      range.selectNodeContents(each);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 10))).size;
    })`;
    expect(Math.max(...((await page.evaluate(lines)) as number[]))).toBe(1);
  });

  it.each(["light", "dark"] as const)("fits and is accessible in %s colors", async (colorScheme) => {
    const stage = await startConsole(FILL_MS);
    await fill(stage);
    const paths = { overview: "/", definition: "/?show=overview&definition=invoices" };
    for (const [width, height] of [
      [390, 844],
      [820, 900],
      [1280, 900],
    ] as const)
      for (const [name, path] of Object.entries(paths)) {
        const page = await openConsole(stage.url + path, { viewport: { width, height }, colorScheme });
        await expectToFit(page, `${name} at ${width} px`);
        const { y = height } = (await reasons(page).first().boundingBox()) ?? {};
        expect(y, `the first failure of the ${name} at ${width} px`).toBeLessThan(height - 60);
        await takePicture(page, `console-${name}-${width}-${colorScheme}`);
        await page.close();
      }
  });
});
