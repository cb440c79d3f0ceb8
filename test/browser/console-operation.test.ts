import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectToFit, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";
import { takePicture } from "./take-picture.js";

const { openConsole } = useConsole();

const why = (page: Page) => page.locator(".why");
const timeline = (page: Page) => page.locator(".timeline").first().getByRole("listitem");

/** Reads a list of numbers of the bars. */
const bars = (page: Page, attribute: string) =>
  page
    .locator(".timeline")
    .first()
    .locator(".bar rect:not(.track)")
    .evaluateAll((rects, name) => rects.map((rect) => Number(rect.getAttribute(name) ?? 0)), attribute);

describe("an operation in the console", () => {
  it("says why it does not run, and who paused its definition", async () => {
    const stage = await startConsole();
    const id = await stage.submit("completes");
    const page = await openConsole(`${stage.url}/?operationId=${id}`);
    expect(await why(page).innerText()).toContain("It is due, and no worker has begun it yet.");
    await stage.operator.pause("orders", { by: "ann" });
    await page.getByRole("button", { name: "Refresh" }).click();
    await why(page)
      .getByText(/^orders is paused by ann since \w{3} \d+, \d{4}, .+\d:\d\d\.\d{3} [AP]M\.$/)
      .waitFor();
    await expectToFit(page, "a paused operation");
    await takePicture(page, "console-paused");
  });

  it("says why it failed, with the error of the last attempt", async () => {
    const stage = await startConsole();
    const id = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?operationId=${id}`);
    expect(await why(page).innerText()).toMatch(
      /Why it failed\s+attempts-exhausted: .+CarrierError ECONNREFUSED/,
    );
  });

  it("has a bar for each attempt on one axis, with milliseconds", async () => {
    const stage = await startConsole();
    const id = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?operationId=${id}`, { locale: "en-US" });
    const texts = await timeline(page).allInnerTexts();
    expect(texts[0]).toMatch(/\d:\d\d\.\d{3} [AP]M\s+\+0 ms\s+Accepted/);
    expect(texts[1]).toMatch(/\+2\.000 s\s+Attempt 1 failed/);
    expect(texts[3]).toMatch(/\+2 min 2\.000 s\s+Attempt 3 failed/);
    const [starts, widths] = [await bars(page, "x"), await bars(page, "width")];
    expect(starts).toEqual([0, expect.closeTo((2 / 122) * 1_000), expect.closeTo((62 / 122) * 1_000)]);
    expect(widths[1]).toBeCloseTo((60 / 122) * 1_000);
  });

  it("leads through the chain of redrives", async () => {
    const stage = await startConsole();
    const id = await stage.end("needs the carrier");
    const { operation } = await stage.operator.redrive(id);
    const page = await openConsole(`${stage.url}/?operationId=${id}`);
    const chain = page.locator(".chain").getByRole("listitem");
    expect(await chain.first().innerText()).toMatch(/^This operation\s+failed/);
    await chain
      .last()
      .getByRole("link", { name: operation?.operationId ?? "" })
      .click();
    await page.getByRole("heading", { name: `Operation ${operation?.operationId}` }).waitFor();
    expect(await chain.last().innerText()).toMatch(/^This operation\s+pending/);
  });

  it("copies its id, its JSON, and a command that submits its input again", async () => {
    const stage = await startConsole();
    const id = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?operationId=${id}`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const copied = async (name: string): Promise<string> => {
      await page.getByRole("button", { name }).click();
      await page.locator("#status").getByText("Copied.").waitFor();
      return String(await page.evaluate("navigator.clipboard.readText()"));
    };
    expect(await copied("Copy id")).toBe(id);
    await page.getByRole("button", { name: "Show the payload" }).click();
    expect(await copied("Copy as curl")).toBe(
      [
        `curl -X POST "$SERVICE"'/orders'`,
        `-H "Authorization: $AUTHORIZATION"`,
        "-H 'Content-Type: application/json'",
        `--data-raw '{"fate":"is refused","item":"A-100"}'`,
      ].join(" \\\n  "),
    );
    const raw = JSON.parse(await copied("Copy JSON"));
    expect(raw).toMatchObject({ operationId: id, status: "failed", input: { item: "A-100" } });
    await page.getByText("Raw JSON").click();
    expect(JSON.parse(await page.getByRole("region", { name: "Raw JSON" }).innerText())).toEqual(raw);
  });
});
