import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectToFit, textsOf, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";
import { takePicture } from "./take-picture.js";

const HOUR_MS = 3_600_000;
const { openConsole } = useConsole();

const why = (page: Page) => page.locator(".why");

/** Reads all bars at one moment. Returns the places of those of a kind: `[x, width]`, in thousandths of the axis. */
async function readBars(page: Page) {
  const bars = await page
    .locator(".timeline")
    .first()
    .locator(".bar rect")
    .evaluateAll((rects) =>
      rects.map((rect) => ({
        kind: rect.getAttribute("class"),
        place: ["x", "width"].map((name) => Number(rect.getAttribute(name))),
      })),
    );
  return (kind: "wait" | "run" | "gap") => bars.filter((bar) => bar.kind === kind).map(({ place }) => place);
}

/** Returns a place on an axis of so many seconds. */
const place = (from: number, to: number, all: number) =>
  [from, to - from].map((seconds) => expect.closeTo((seconds / all) * 1_000));

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

  it("has a bar for each attempt after its wait on one axis, with milliseconds", async () => {
    const stage = await startConsole();
    const id = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?operationId=${id}`, { locale: "en-US" });
    const texts = await textsOf(page, ".timeline li");
    expect(texts[0]).toMatch(/\d:\d\d\.\d{3} [AP]M\s+\+0 ms\s+Accepted/);
    expect(texts[1]).toMatch(/\+2\.000 s\s+Attempt 1 failed/);
    expect(texts[3]).toMatch(/\+2 min 2\.000 s\s+Attempt 3 failed/);
    expect(texts[1]).toMatch(
      /Began .+\d:\d\d\.\d{3} [AP]M after waiting 2\.000 s, ran 0 ms, process [0-9a-f]{8}\s/,
    );
    expect(texts[3]).toMatch(/Began .+ after backing off 1 min, ran 0 ms, process /);
    const bars = await readBars(page);
    expect(bars("wait")).toEqual([place(0, 2, 122), place(2, 62, 122), place(62, 122, 122)]);
    expect(bars("run").map(([x]) => x)).toEqual([
      ...[2, 62].map((seconds) => expect.closeTo((seconds / 122) * 1_000)),
      // The last one would be outside.
      994,
    ]);
  });

  it("shows a lost attempt as a gap until the next one, and since when an attempt runs", async () => {
    const stage = await startConsole(60_000);
    const id = await stage.submit("completes");
    await stage.begin(id, 10_000);
    await stage.begin(id, HOUR_MS);
    const page = await openConsole(`${stage.url}/?operationId=${id}`, { locale: "en-US" });
    const texts = await textsOf(page, ".timeline li");
    expect(texts[1]).toContain("Attempt 1 lost its lease, so its outcome is not known");
    expect(texts[2]).toMatch(
      /\+12\.000 s\s+Attempt 2 began and has not ended yet\s+Began .+, process 0badcafe/,
    );
    const bars = await readBars(page);
    const [[from, width] = [], ...gaps] = bars("gap");
    const [[start, running] = [], ...runs] = bars("run");
    expect([from, gaps, runs]).toEqual([0, [], []]);
    expect(width).toBeCloseTo(Number(start));
    expect(Number(start) + Number(running)).toBeCloseTo(1_000);
    expect(await why(page).innerText()).toContain("Attempt 2 began and has not ended.");
    await expectToFit(page, "a lost attempt");
  });

  it("says until when it waits for a retry", async () => {
    const stage = await startConsole(0);
    const id = await stage.submit("needs the carrier");
    await stage.work();
    const page = await openConsole(`${stage.url}/?operationId=${id}`, { locale: "en-US" });
    expect(await why(page).innerText()).toMatch(
      /Attempt 1 failed \d+ (ms|s) ago\. Its retry is due at .+\d:\d\d\.\d{3} [AP]M\./,
    );
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
