import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectToFit, textsOf, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

const ANN = { by: "ann", via: "console" };
const acted = (page: Page) => page.locator(".acted").getByRole("listitem");

describe("the actions in the console", () => {
  it("are those on the operation of the page", async () => {
    const stage = await startConsole(0);
    const id = await stage.submit("completes");
    await stage.operator.pause("orders", ANN);
    const page = await openConsole(`${stage.url}/?operationId=${id}`, { locale: "en-US" });
    expect(await acted(page).count()).toBe(0);
    await page.getByRole("button", { name: "Cancel the operation…" }).click();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await acted(page).first().waitFor();
    expect(await textsOf(page, ".acted li")).toEqual([
      expect.stringMatching(/^Cancelled from console, \d+:\d\d [AP]M$/),
    ]);
    const { operation } = await stage.operator.redrive(id, ANN);
    await page.getByRole("button", { name: "Refresh" }).click();
    const rerun = acted(page).filter({ hasText: /^Run again as \S+ by ann from console, \d+:\d\d [AP]M$/ });
    await rerun.getByRole("link", { name: operation?.operationId ?? "" }).click();
    await page.getByRole("heading", { name: `Operation ${operation?.operationId}` }).waitFor();
  });

  it("are the most recent ones on the definition of the page", async () => {
    const stage = await startConsole();
    const failed = await stage.end("is refused");
    await stage.end("is refused");
    await stage.operator.redrive(failed, {
      by: "a program with a name that is long enough to wrap on a phone",
    });
    await stage.operator.redrive({ definition: "orders" }, { limit: 1, ...ANN });
    await stage.operator.pause("orders", ANN);
    await stage.operator.resume("orders");
    await stage.operator.pause("invoices", ANN);
    const page = await openConsole(`${stage.url}/?show=overview&definition=orders`);
    const texts = (await textsOf(page, ".acted li")).sort();
    expect(texts).toEqual([
      expect.stringMatching(/^1 failed operation run again by ann from console, /),
      expect.stringMatching(/^Paused by ann from console, /),
      expect.stringMatching(/^Resumed, /),
      expect.stringMatching(/^Run again: \S+ by a program with .+ phone, /),
    ]);
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1_280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await expectToFit(page, `${colorScheme} at ${width} px`);
      }
    await acted(page).getByRole("link", { name: failed }).click();
    await page.getByRole("heading", { name: `Operation ${failed}` }).waitFor();
    expect(await textsOf(page, ".acted li")).toEqual([expect.stringMatching(/^Run again as /)]);
  });
});
