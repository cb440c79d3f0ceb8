import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { row, textsOf, useConsole, views } from "./console-page.js";
import { startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

const search = (page: Page) => page.getByRole("searchbox");
const chips = (page: Page) => page.getByRole("list", { name: "Filtered by" });
const fold = (page: Page, text: string) => page.locator("#rows button.fold", { hasText: text });
const heading = async (page: Page, name: string): Promise<void> => {
  await expect.poll(() => page.getByRole("heading", { level: 2, name }).count()).toBe(1);
};

/** Pastes a text as a browser does. */
const paste = (page: Page, selector: string, text: string) =>
  page.evaluate(
    ([where, pasted]) => {
      const { document, DataTransfer, ClipboardEvent } = globalThis as unknown as Window & typeof globalThis;
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", pasted ?? "");
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(where ?? "")?.dispatchEvent(event);
    },
    [selector, text],
  );

describe("the search", () => {
  it("finds an operation by its id, also if that is pasted on the page in a line of a log", async () => {
    const stage = await startConsole();
    const first = await stage.end("completes");
    const second = await stage.end("completes");
    const page = await openConsole(`${stage.url}/?show=list`);
    await search(page).fill(` ${first.toUpperCase()} `);
    await page.keyboard.press("Enter");
    await heading(page, `Operation ${first}`);
    await paste(page, "body", `worker[7]: settled ${second} of ${second} as completed`);
    await heading(page, `Operation ${second}`);
    await paste(page, "body", `${first} ${second}`);
    await page.goBack();
    await heading(page, `Operation ${first}`);
    await page.goto(`${stage.url}/?show=list`);
    await page.locator("summary", { hasText: "Filters" }).click();
    await paste(page, "[name=tenant]", second);
    await heading(page, "Failed operations");
  });

  it("finds failures by the words of their reason, in groups and in the list", async () => {
    const stage = await startConsole();
    const refused = await stage.end("is refused");
    const exhausted = await stage.end("needs the carrier");
    const page = await openConsole(`${stage.url}/?show=list`);
    await search(page).fill("stock OUT");
    await page.keyboard.press("Enter");
    await row(page, exhausted).waitFor({ state: "detached" });
    expect(await row(page, refused).count()).toBe(1);
    expect(await page.getByRole("button", { name: "Run all of these again…" }).isVisible()).toBe(false);
    await views(page).getByRole("link", { name: "Failures by reason" }).click();
    await heading(page, "Failures by reason");
    const reasons = page.locator("#rows tbody tr");
    expect(await reasons.count()).toBe(1);
    expect(await reasons.innerText()).toContain("The item is out of stock.");
    await reasons.getByRole("link").click();
    await row(page, refused).waitFor();
    await views(page).getByRole("link", { name: "All" }).click();
    await row(page, exhausted).waitFor();
    await search(page).fill("no such words");
    await page.keyboard.press("Enter");
    await heading(page, "Failures by reason");
    await page.getByText("No operations match.").waitFor();
    await page.getByRole("link", { name: "Remove all filters" }).click();
    await expect.poll(() => reasons.count()).toBe(2);
    expect(await search(page).inputValue()).toBe("");
  });
});

describe("the list", () => {
  it("says what it is filtered by, and each filter can be removed", async () => {
    const stage = await startConsole();
    const invoice = await stage.end("is refused", 1);
    const order = await stage.end("is refused");
    const others = await stage.end("is refused", 0, 1);
    const page = await openConsole(`${stage.url}/?show=list&definition=orders&tenant=acme&open=true`);
    expect(await textsOf(page, "#chips li")).toEqual([
      expect.stringMatching(/^Definition\s+orders\s+×$/),
      expect.stringMatching(/^Tenant\s+acme\s+×$/),
      expect.stringMatching(/^Only open failures\s+×$/),
      "Remove all",
    ]);
    expect(await row(page, others).count()).toBe(0);
    await page.getByRole("link", { name: "Remove the filter: Tenant acme" }).click();
    await row(page, others).waitFor();
    expect(await row(page, invoice).count()).toBe(0);
    await views(page).getByRole("link", { name: "All" }).click();
    await heading(page, "All operations");
    expect(await chips(page).getByRole("listitem").count()).toBe(1);
    await page.goBack();
    await page.getByRole("link", { name: "Remove all" }).click();
    await row(page, invoice).waitFor();
    expect(await row(page, order).count()).toBe(1);
    expect(await chips(page).getByRole("listitem").count()).toBe(0);
  });

  it("folds the rows of one reason, keeps them open, and has nothing to fold for a single one", async () => {
    const stage = await startConsole();
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.push(await stage.end("needs the carrier"));
    const refused = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?show=list`);
    const reason = fold(page, "4 ×");
    expect(await reason.innerText()).toMatch(/CarrierError ECONNREFUSED: connect \*:\*\s+orders, newest/);
    expect(await row(page, refused).isVisible()).toBe(true);
    for (const id of ids) expect(await row(page, id).isVisible()).toBe(false);
    await reason.click();
    for (const id of ids) expect(await row(page, id).isVisible()).toBe(true);
    const loaded = page.waitForResponse(/api\/operations/);
    await page.getByRole("button", { name: "Refresh" }).click();
    await loaded;
    await expect.poll(() => reason.getAttribute("aria-expanded")).toBe("true");
    await page.getByLabel("All on this page").check();
    await page.getByRole("button", { name: "Run 5 chosen again" }).waitFor();
    await page.goto(`${stage.url}/?show=list&errorType=attempts-exhausted`);
    await row(page, ids[0] ?? "").waitFor();
    expect(await page.locator("#rows button.fold").count()).toBe(0);
  });

  it("leaves few rows of one reason in their place", async () => {
    const stage = await startConsole();
    const refused = await stage.end("is refused");
    const completed = await stage.end("completes");
    const again = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?show=list&status=all`);
    await row(page, refused).waitFor();
    const ids = await page.locator("td[data-title=Operation]").allTextContents();
    expect(ids).toEqual([again, completed, refused]);
  });

  it("shows the end of ids, and copies all of them", async () => {
    const stage = await startConsole();
    const id = await stage.end("is refused");
    const page = await openConsole(`${stage.url}/?show=list`);
    const link = row(page, id).getByRole("link", { name: id });
    const { width = 0 } = (await link.boundingBox()) ?? {};
    expect(width).toBeLessThan(100);
    // A refresh can replace the row in between.
    const select = () =>
      link.evaluate((node) => {
        const { getSelection } = globalThis as unknown as Window;
        getSelection()?.selectAllChildren(node as unknown as Node);
        return String(getSelection()).trim();
      });
    await expect.poll(select).toBe(id);
    expect(await link.locator(".id").getAttribute("title")).toBe(id);
  });
});

describe("the keyboard", () => {
  it("searches, moves between rows, opens one and goes back", async () => {
    const stage = await startConsole();
    const older = await stage.end("is refused");
    const newer = await stage.end("is refused", 1);
    const page = await openConsole(`${stage.url}/?show=list`);
    const focused = () => page.evaluate("document.activeElement.textContent");
    await page.keyboard.press("j");
    expect(await focused()).toBe(newer);
    await page.keyboard.press("j");
    expect(await focused()).toBe(older);
    await page.keyboard.press("j");
    expect(await focused()).toBe(older);
    await page.keyboard.press("k");
    expect(await focused()).toBe(newer);
    await page.keyboard.press("Enter");
    await heading(page, `Operation ${newer}`);
    await page.keyboard.press("Escape");
    await heading(page, "Failed operations");
    await page.keyboard.press("/");
    await page.keyboard.type("jk/?");
    expect(await search(page).inputValue()).toBe("jk/?");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.id")).not.toBe("search-field");
    await heading(page, "Failed operations");
  });

  it("shows help, which can turn single keys off", async () => {
    const stage = await startConsole();
    const page = await openConsole(`${stage.url}/?show=list`);
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("Use single keys").uncheck();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).not.toBe("search-field");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await dialog.getByLabel("Use single keys").check();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("search-field");
  });
});
