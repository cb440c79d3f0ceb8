import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { applyFilter, expectToFit, filter, row, useConsole, views } from "./console-page.js";
import { CREDENTIALS, FILL_MS, fill, startConsole } from "./console-stage.js";
import { takePicture } from "./take-picture.js";

const { openPage, openConsole } = useConsole();

const status = (page: Page, text: RegExp) => page.locator("#status").getByText(text).waitFor();

/** Formats a time as a field for local times takes it. Browser and test run in one time zone. */
function localTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

describe("the page", () => {
  it("asks for a password", async () => {
    const { url } = await startConsole();
    const page = await openPage("about:blank");
    const reply = await page.goto(url).catch(() => undefined);
    expect(reply?.status() ?? 401).toBe(401);
  });

  it("lists failed operations first, and why they failed", async () => {
    const stage = await startConsole();
    const failed = await stage.end("needs the carrier");
    const completed = await stage.end("completes");
    const page = await openConsole(`${stage.url}/?show=list`);
    const text = await row(page, failed).innerText();
    expect(text).toContain("attempts-exhausted: The processor threw CarrierError ECONNREFUSED: connect");
    expect(await row(page, completed).count()).toBe(0);
  });

  it("filters the list, and keeps the filter in the URL", async () => {
    const stage = await startConsole();
    const failed = await stage.end("is refused");
    const other = await stage.end("is refused", 1, 1);
    const completed = await stage.end("completes");
    const page = await openConsole(`${stage.url}/?show=list`);
    await applyFilter(page, () => filter(page, "Definition").selectOption("invoices"));
    await row(page, failed).waitFor({ state: "detached" });
    expect(await row(page, other).count()).toBe(1);
    await applyFilter(page, async () => {
      await filter(page, "Definition").selectOption("All");
      await filter(page, "Tenant").fill("acme");
      await filter(page, "Error").selectOption("work-failed");
      await filter(page, "Created before").fill(localTime(Date.now() - 3_600_000));
    });
    await row(page, other).waitFor({ state: "detached" });
    expect(await row(page, failed).count()).toBe(1);
    await page.reload();
    await row(page, failed).waitFor();
    expect(await filter(page, "Tenant").inputValue()).toBe("acme");
    expect(await filter(page, "Created before").inputValue()).not.toBe("");
    await views(page).getByRole("link", { name: "Completed" }).click();
    expect(await filter(page, "Error").isVisible()).toBe(false);
    await row(page, completed).waitFor();
    await page.goBack();
    await row(page, failed).waitFor();
  });

  it("goes to older operations and back to the newest", async () => {
    const stage = await startConsole();
    const oldest = await stage.end("completes");
    for (let count = 0; count < 50; count += 1) await stage.end("completes");
    const page = await openConsole(`${stage.url}/?status=completed`);
    expect(await row(page, oldest).count()).toBe(0);
    await page.getByRole("link", { name: "Older" }).click();
    await row(page, oldest).waitFor();
    expect(await page.getByRole("link", { name: "Older" }).count()).toBe(0);
    await page.getByRole("link", { name: "Newest" }).click();
    await row(page, oldest).waitFor({ state: "detached" });
  });

  it("shows the timeline of an operation with its attempts and its webhook", async () => {
    const stage = await startConsole();
    const failed = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?show=list`);
    await page.getByRole("link", { name: failed }).click();
    await page.getByRole("heading", { name: `Operation ${failed}` }).waitFor();
    const text = await page.locator("#details").innerText();
    for (const attempt of [1, 2, 3]) expect(text).toContain(`Attempt ${attempt} failed`);
    expect(text).toContain("The work did not succeed in 3 attempts.");
    expect(text).toContain("Follow-up: webhook.delivery");
    expect(text).toContain("The receiver answered 503.");
    await page.getByRole("link", { name: "Back to the list" }).click();
    await row(page, failed).waitFor();
  });

  it("shows the payload only on request", async () => {
    const stage = await startConsole();
    const id = await stage.end("completes");
    const page = await openConsole(`${stage.url}/?operationId=${id}`);
    expect(await page.locator("#details").innerText()).not.toContain("A-100");
    await page.getByRole("button", { name: "Show the payload" }).click();
    const inputOf = page.getByRole("region", { name: "input" });
    await inputOf.getByText("A-100").waitFor();
    await page.getByRole("region", { name: "result" }).getByText("shipped").waitFor();
    await page.getByRole("button", { name: "Hide the payload" }).click();
    await inputOf.waitFor({ state: "detached" });
  });

  it("cancels an operation after a question", async () => {
    const stage = await startConsole();
    const id = await stage.submit("completes");
    const page = await openConsole(`${stage.url}/?operationId=${id}`);
    const open = page.getByRole("button", { name: "Cancel the operation…" });
    await open.click();
    await page.getByRole("button", { name: "Keep it" }).click();
    expect((await stage.operator.get(id))?.status).toBe("pending");
    await open.click();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await status(page, /The operation was cancelled/);
    expect((await stage.operator.get(id))?.status).toBe("failed");
  });

  it("runs a failed operation again, and links the new one", async () => {
    const stage = await startConsole();
    const id = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?operationId=${id}`);
    await page.getByRole("button", { name: "Run again", exact: true }).click();
    await status(page, /It runs again as/);
    const { retriedBy = "" } = (await stage.operator.get(id)) ?? {};
    await page.locator("dl").getByRole("link", { name: retriedBy }).click();
    await page.getByRole("heading", { name: `Operation ${retriedBy}` }).waitFor();
    expect((await stage.operator.get(retriedBy))?.retryOf).toBe(id);
  });

  it("runs all matching operations again after a dry run, and can be stopped and continued", async () => {
    const stage = await startConsole();
    for (let count = 0; count < 25; count += 1) await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?show=list`);
    const open = page.getByRole("button", { name: "Run all of these again…" });
    expect(await open.count()).toBe(0);
    await applyFilter(page, () => filter(page, "Tenant").fill("acme"));
    await open.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("have not been run again: 25.").waitFor();
    expect((await stage.operator.list({ status: "pending" })).operations).toEqual([]);
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.getByText("10 run again, 0 skipped.").waitFor();
    await dialog.getByRole("button", { name: "Stop" }).click();
    await dialog.getByText("Stopped.").waitFor();
    const { length } = (await stage.operator.list({ status: "pending" })).operations;
    expect(length).toBeLessThan(25);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("Done. 25 run again, 0 skipped.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect((await stage.operator.list({ status: "pending" })).operations).toHaveLength(25);
  });

  it("offers nothing but reading to those who may only observe", async () => {
    const stage = await startConsole();
    const id = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?tenant=acme`, {}, "observe");
    expect(await page.getByRole("button", { name: "Run all of these again…" }).isVisible()).toBe(false);
    await page.getByRole("link", { name: id }).click();
    await page.getByText("Timeline").waitFor();
    const names = await page.getByRole("button").allInnerTexts();
    expect(names.filter((name) => !["Refresh", "?", "Apply", "Copy id"].includes(name))).toEqual([]);
  });

  it("says what is wrong with an operation that does not exist", async () => {
    const stage = await startConsole();
    const page = await openPage(`${stage.url}/?operationId=42`, { httpCredentials: CREDENTIALS.operate });
    await expect.poll(() => page.getByRole("alert").innerText()).toBe("There is no such resource.");
  });
});

describe("the page is accessible and fits", () => {
  it.each(["light", "dark"] as const)("in %s colors, at every width", async (colorScheme) => {
    const stage = await startConsole(FILL_MS);
    await fill(stage);
    const [failed] = (await stage.operator.list({ errorType: "attempts-exhausted" })).operations;
    const paths = { list: "/?show=list", details: `/?operationId=${failed?.operationId}` };
    for (const width of [390, 820, 1280])
      for (const [name, path] of Object.entries(paths)) {
        const viewport = { width, height: 900 };
        const page = await openConsole(stage.url + path, { viewport, colorScheme });
        await expectToFit(page, `${name} at ${width} px`);
        await takePicture(page, `console-${name}-${width}-${colorScheme}`);
        await page.close();
      }
  });

  it("also with an open dialog", async () => {
    const stage = await startConsole();
    await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?tenant=acme`);
    await page.getByRole("button", { name: "Run all of these again…" }).click();
    await page.getByText("have not been run again: 1.").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
