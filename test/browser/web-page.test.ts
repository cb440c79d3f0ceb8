import type { Page, Route } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/orders-server-process.js";
import { useChromium } from "./chromium.js";

const openPage = useChromium();
const EXPORTS = "**/accounts/*/exports";

/** Starts the example, and opens its page. */
async function openExample(): Promise<{ readonly baseUrl: string; readonly page: Page }> {
  const { baseUrl, kill } = await startServer({}, "web-page");
  onTestFinished(kill);
  return { baseUrl, page: await openPage(baseUrl) };
}

/** Ids of all operations of the service. */
async function listIds(baseUrl: string): Promise<string[]> {
  const reply = await fetch(`${baseUrl}/operations`);
  const { operations } = (await reply.json()) as { readonly operations: { readonly operationId: string }[] };
  return operations.map(({ operationId }) => operationId);
}

async function submit(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Export" }).click();
}

/** Waits for the result, and returns the id of the operation. */
async function readResult(page: Page): Promise<string> {
  const message = page.getByText(" is ready: /exports/7.csv");
  await message.waitFor();
  const [, id = ""] = /^Export (\S+) is ready/.exec(await message.innerText()) ?? [];
  return id;
}

it("submits, shows the progress and then the result", async () => {
  const { baseUrl, page } = await openExample();
  await submit(page);
  const percents = new Set<string | null>();
  const collect = async () => percents.add(await page.locator("#progress").getAttribute("value")).size;
  await expect.poll(collect).toBeGreaterThan(3);
  expect(await listIds(baseUrl)).toEqual([await readResult(page)]);
});

it("places one order if the page is reloaded in the middle of the submission", async () => {
  const { baseUrl, page } = await openExample();
  // The request reaches the service, but its reply never reaches the page.
  const lostReplies: unknown[] = [];
  const loseReply = async (route: Route): Promise<void> => {
    lostReplies.push(await (await route.fetch()).json());
  };
  await page.route(EXPORTS, loseReply);
  await submit(page);
  await expect.poll(() => lostReplies.length).toBe(1);
  await page.unroute(EXPORTS, loseReply);
  await page.reload();
  const id = await readResult(page);
  expect(lostReplies).toEqual([{ operationId: id, status: "pending" }]);
  expect(await listIds(baseUrl)).toEqual([id]);
});

it("places one order if the page is reloaded before the request reaches the service", async () => {
  const { baseUrl, page } = await openExample();
  let requests = 0;
  const hold = (): void => {
    requests++;
  };
  await page.route(EXPORTS, hold);
  await submit(page);
  await expect.poll(() => requests).toBe(1);
  await page.unroute(EXPORTS, hold);
  await page.reload();
  expect(await listIds(baseUrl)).toEqual([await readResult(page)]);
});

it("continues with the same operation if the page is reloaded while it runs", async () => {
  const { baseUrl, page } = await openExample();
  await submit(page);
  await page.getByText(" is pending.").waitFor();
  await page.reload();
  expect(await listIds(baseUrl)).toEqual([await readResult(page)]);
});

it("shows the reason if the service refuses the input", async () => {
  const { baseUrl, page } = await openExample();
  await page.getByLabel("Account").fill("x".repeat(101));
  await submit(page);
  await page.getByText("The body is well formed, but not what this operation accepts.").waitFor();
  expect(await listIds(baseUrl)).toEqual([]);
});
