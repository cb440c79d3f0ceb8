import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { row, useConsole } from "./console-page.js";
import { FILL_MS, fill, startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

/** More presses of Tab than any page has places for the focus. */
const MANY = 400;

/**
 * Names every control of the page, or of the open dialog, and the one that has the focus. Controls that are called alike have numbers,
 * so a control keeps its name when the page replaces it by its like.
 */
const CONTROLS = `(() => {
  const root = document.querySelector("dialog[open]") ?? document;
  const selector = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const seen = new Map();
  const controls = [...root.querySelectorAll(selector)]
    .filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0)
    .map((each) => {
      const label = each.ariaLabel ?? each.labels?.[0]?.textContent ?? each.textContent;
      const kind = [each.localName, each.getAttribute("href") ?? "", label.trim()].join(" ");
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      return { each, name: kind + " " + seen.get(kind) };
    });
  const { activeElement: focused } = document;
  return {
    names: controls.map(({ name }) => name),
    focused: controls.find(({ each }) => each === focused)?.name,
    isClosed: focused.ariaExpanded === "false" || (focused.localName === "summary" && !focused.parentElement.open),
    asks: focused.localName === "button" && /…$|^\\?$/.test(focused.textContent),
  };
})()`;

interface Controls {
  readonly names: readonly string[];
  readonly focused: string | undefined;
  /** Whether the control that has the focus shows more if it is pressed. */
  readonly isClosed: boolean;
  /** Whether it opens a dialog. */
  readonly asks: boolean;
}

const look = async (page: Page): Promise<Controls> => (await page.evaluate(CONTROLS)) as Controls;

/** Presses Tab until it comes back to where it began, opens all that can be opened, and expects that no control was left out. */
async function expectToReachAll(page: Page, place: string): Promise<number> {
  const reached = new Set<string>();
  let first: string | undefined;
  for (let count = 0; count < MANY; count += 1) {
    await page.keyboard.press("Tab");
    const { focused, isClosed, asks } = await look(page);
    if (focused === undefined) continue;
    if (focused === first && reached.size > 1) break;
    first ??= focused;
    if (reached.has(focused)) continue;
    reached.add(focused);
    if (isClosed) reached.add(await openFocused(page));
    if (asks) await expectDialog(page, `${focused} of ${place}`);
  }
  const { names } = await look(page);
  expect(
    names.filter((name) => !reached.has(name)),
    place,
  ).toEqual([]);
  return names.length;
}

/** Opens what is closed, which may have to be read first. Returns the name that the control has then. */
async function openFocused(page: Page): Promise<string> {
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await look(page)).isClosed).toBe(false);
  return (await look(page)).focused ?? "";
}

/** Opens a dialog, reaches everything in it, and leaves it. The focus returns. */
async function expectDialog(page: Page, place: string): Promise<void> {
  const before = (await look(page)).focused;
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button").first().waitFor();
  await expectToReachAll(page, place);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(async () => (await look(page)).focused).toBe(before);
}

it("reaches every control of every page", async () => {
  const stage = await startConsole(FILL_MS);
  await fill(stage);
  const [failed] = (await stage.operator.list({ errorType: "attempts-exhausted" })).operations;
  const pages = {
    overview: ["/", 20],
    definition: ["/?show=overview&definition=invoices", 20],
    list: ["/?show=list&tenant=acme", 20],
    "all operations": ["/?show=list&status=all", 60],
    failures: ["/?show=failures", 20],
    operation: [`/?operationId=${failed?.operationId}`, 15],
  } as const;
  for (const [name, [path, least]] of Object.entries(pages)) {
    const page = await openConsole(stage.url + path, { viewport: { width: 1280, height: 900 } });
    expect(await expectToReachAll(page, name), name).toBeGreaterThan(least);
    await page.close();
  }
}, 300_000);

it("opens an operation and runs it again by keyboard alone", async () => {
  const stage = await startConsole();
  const id = await stage.end("needs the carrier");
  const page = await openConsole(`${stage.url}/?show=list`);
  const press = async (until: string): Promise<void> => {
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate("document.activeElement?.textContent");
      if (String(focused).trim() === until) return;
    }
    throw new Error(`Tab does not lead to ${until}`);
  };
  await press("Skip to the operations");
  await page.keyboard.press("Enter");
  await row(page, id).waitFor();
  await press(id);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `Operation ${id}` }).waitFor();
  await press("Run again");
  await page.keyboard.press("Enter");
  await page
    .locator("#status")
    .getByText(/It runs again as/)
    .waitFor();
  expect((await stage.operator.get(id))?.retriedBy).toEqual(expect.any(String));
});
