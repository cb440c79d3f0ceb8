import type { Page, Response } from "playwright-core";
import { expect, it } from "vitest";
import { row, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

/** Counts the requests of a page for a resource from now on. */
function countRequests(page: Page, resource: string): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (request.url().includes(`/api/${resource}`)) count += 1;
  });
  return () => count;
}

/** Shows or hides the tab. Chromium without a window knows no hidden tabs. */
function setVisible(page: Page, state: "visible" | "hidden"): Promise<unknown> {
  return page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);
}

/** Opens a page, and waits for its stream. */
async function openLive(url: string, prepare: (page: Page) => void = () => {}): Promise<Page> {
  let stream: Promise<Response> | undefined;
  const page = await openConsole(url, {}, "operate", async (prepared) => {
    prepare(prepared);
    stream = prepared.waitForResponse("**/api/events");
  });
  expect((await stream)?.status()).toBe(200);
  return page;
}

it("shows an operation that ends within 3 s, also to those who came by a link", async () => {
  const stage = await startConsole();
  const page = await openLive(stage.url);
  await page.getByRole("link", { name: "Operations", exact: true }).last().click();
  await page.getByRole("heading", { name: "All operations" }).waitFor();
  const id = await stage.end("completes");
  await row(page, id).getByText("completed").waitFor({ timeout: 3_000 });
});

it("shows what happens to the operation that is open", async () => {
  const stage = await startConsole();
  const id = await stage.submit("is refused");
  const page = await openLive(`${stage.url}/?operationId=${id}`);
  await page.getByRole("button", { name: "Show the payload" }).click();
  await page.getByRole("region", { name: "input" }).waitFor();
  await page.getByText("Operations").first().focus();
  await stage.end("completes", 1);
  await page.getByRole("heading", { name: "Why it failed" }).waitFor();
  // Everything that someone has opened stays open.
  await page.getByRole("region", { name: "input" }).waitFor();
});

it("loads an operation that is open again only if it is the one that changes", async () => {
  const stage = await startConsole();
  const id = await stage.submit("completes");
  await stage.operator.pause("orders");
  const list = await openLive(`${stage.url}/?status=completed`);
  let loads = (): number => 0;
  const page = await openLive(`${stage.url}/?operationId=${id}`, (opened) => {
    loads = countRequests(opened, `operations/${id}`);
  });
  // The page loads once more when its stream opens.
  await expect.poll(loads).toBe(2);
  const other = await stage.end("completes", 1);
  await row(list, other).waitFor();
  await stage.operator.cancel(id);
  await page.getByRole("heading", { name: "Why it failed" }).waitFor();
  expect(loads()).toBe(3);
});

it("does not replace what someone has selected", async () => {
  const stage = await startConsole();
  const [first, second] = [await stage.end("completes"), await stage.end("completes")];
  const page = await openLive(`${stage.url}/?status=completed`);
  // The page loads once more when its stream opens.
  const select = () =>
    row(page, first)
      .getByText("acme")
      .selectText()
      .then(
        () => true,
        () => false,
      );
  await expect.poll(select).toBe(true);
  const overviews = countRequests(page, "overview");
  const third = await stage.end("completes");
  await expect.poll(overviews).toBeGreaterThan(0);
  expect(await row(page, third).count()).toBe(0);
  await page.evaluate("getSelection().removeAllRanges()");
  await stage.end("completes");
  await row(page, third).waitFor();
  expect(await row(page, second).count()).toBe(1);
});

it("has no stream in a hidden tab, and loads once when it is visible again", async () => {
  const stage = await startConsole();
  const page = await openLive(`${stage.url}/?status=completed`);
  const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/events"));
  await setVisible(page, "hidden");
  await ended;
  const [streams, overviews] = [countRequests(page, "events"), countRequests(page, "overview")];
  const id = await stage.end("completes");
  await setVisible(page, "visible");
  await expect.poll(() => [streams(), overviews()]).toEqual([1, 1]);
  await row(page, id).waitFor();
});

it("looks every 10 s if the server does not tell of changes", async () => {
  const stage = await startConsole();
  let streams = (): number => 0;
  const page = await openConsole(`${stage.url}/?status=pending`, {}, "operate", (prepared) => {
    streams = countRequests(prepared, "events");
    return prepared.route("**/api/overview*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), live: false } });
    });
  });
  await page.getByText("Nothing is waiting or running.").waitFor();
  const id = await stage.submit("completes");
  await expect.poll(() => row(page, id).count(), { timeout: 20_000 }).toBe(1);
  expect(streams()).toBe(0);
});
