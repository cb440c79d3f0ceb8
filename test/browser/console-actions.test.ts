import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectToFit, row, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

const dialog = (page: Page) => page.getByRole("dialog");
const status = (page: Page) => page.locator("#status");
const act = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

describe("an action in the console", () => {
  it("pauses and resumes a definition after a question that says how many it is about", async () => {
    const stage = await startConsole();
    for (let count = 0; count < 3; count += 1) await stage.submit("completes", 1);
    const page = await openConsole(stage.url);
    const isPaused = async () =>
      (await stage.operator.stats()).some(({ definition, paused }) => definition === "invoices" && paused);
    await act(page, "Pause invoices…");
    expect(await dialog(page).innerText()).toMatch(
      /no worker begins any invoices\. 3 are due and wait, .+0 run and go on/s,
    );
    await expectToFit(page, "a question");
    await act(page, "Keep it running");
    expect(await isPaused()).toBe(false);
    await act(page, "Pause invoices…");
    await act(page, "Pause it");
    await status(page).getByText("Workers begin no more invoices.").waitFor();
    expect(await isPaused()).toBe(true);
    await act(page, "Resume invoices…");
    expect(await dialog(page).innerText()).toContain("3 are due. Workers begin them at once");
    await act(page, "Resume it");
    await status(page).getByText("Workers begin invoices again.").waitFor();
    expect(await isPaused()).toBe(false);
  });

  it("can be undone: a pause, the end of one, and a redrive", async () => {
    const stage = await startConsole();
    const id = await stage.end("is refused");
    const page = await openConsole(stage.url);
    const isPaused = async () => (await stage.operator.stats()).some(({ paused }) => paused);
    await act(page, "Pause orders…");
    await act(page, "Pause it");
    await status(page).getByRole("button", { name: "Undo" }).click();
    await status(page).getByText("Workers begin orders again.").waitFor();
    expect(await isPaused()).toBe(false);
    await status(page).getByRole("button", { name: "Undo" }).click();
    await status(page).getByText("Workers begin no more orders.").waitFor();
    expect(await isPaused()).toBe(true);
    await page.goto(`${stage.url}/?operationId=${id}`);
    await act(page, "Run again");
    await status(page).getByRole("button", { name: "Cancel the new one" }).click();
    await status(page).getByText("The operation was cancelled.").waitFor();
    const { retriedBy = "" } = (await stage.operator.get(id)) ?? {};
    expect((await stage.operator.get(retriedBy))?.error?.name).toBe("cancelled");
    expect(await status(page).getByRole("button").count()).toBe(0);
  });

  it("counts a group in a dry run, and says what it will do, to which, and at what rate", async () => {
    const stage = await startConsole();
    const ids: string[] = [];
    for (let count = 0; count < 25; count += 1) ids.push(await stage.end("needs the carrier"));
    const page = await openConsole(stage.url);
    await page.getByRole("button", { name: /^Run again orders/ }).click();
    await dialog(page).getByText("have not been run again: 25.").waitFor();
    const text = await dialog(page).innerText();
    expect(text).toContain("A dry run has counted. Nothing runs yet.");
    expect(text).toMatch(/Definition\s+orders/);
    expect(text).toMatch(/Message\s+The processor threw CarrierError ECONNREFUSED: connect \*:\*/);
    expect(text).toContain("10 per second: about 3 s.");
    await dialog(page).getByText("Examples").click();
    await dialog(page).getByRole("link").first().click();
    await page.getByRole("heading", { name: `Operation ${ids.at(-1)}` }).waitFor();
    expect(await dialog(page).isVisible()).toBe(false);
    expect((await stage.operator.list({ status: "pending" })).operations).toEqual([]);
    await page.goBack();
    await page.getByRole("button", { name: /^Run again orders/ }).click();
    await act(page, "Start");
    await dialog(page).getByText("10 run again, 0 skipped. About 2 s left.").waitFor();
    await dialog(page).getByText("Done. 25 run again, 0 skipped.").waitFor();
  });

  it("shows how far it is with the chosen operations", async () => {
    const stage = await startConsole();
    const ids = [await stage.end("is refused"), await stage.end("is refused", 1)];
    const page = await openConsole(`${stage.url}/?show=list`);
    await row(page, ids[0] ?? "").waitFor();
    await page.getByLabel("All on this page").check();
    const seen: string[] = [];
    await page.exposeFunction("see", (text: string) => seen.push(text));
    await page.evaluate(
      "new MutationObserver(() => see(document.getElementById('status').textContent)).observe(document.getElementById('status'), { childList: true })",
    );
    await act(page, "Run 2 chosen again");
    await status(page).getByText("2 run again, 0 skipped.").waitFor();
    await expect
      .poll(() => seen)
      .toEqual([
        "Running 1 of 2 again, 10 per second.",
        "Running 2 of 2 again, 10 per second.",
        "2 run again, 0 skipped.",
      ]);
  });
});
