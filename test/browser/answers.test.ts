import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { plan } from "../../examples/answers/model.js";
import { root } from "../support/built.js";
import { startServer } from "../support/orders-server-process.js";
import { useChromium } from "./chromium.js";

const folder = join(root, "examples/answers/page");
const isMissing = !existsSync(join(folder, "node_modules"));
const openPage = useChromium();

/** The whole answer to a prompt. */
const answerTo = (prompt: string): string => plan(prompt).join("");
const LONG = "Why is the sky blue?";
const FAILING = "Why does it fail?";

/** Starts the example, and opens one of its pages. A page that logs an error fails the test. */
async function openExample(path: string): Promise<Page> {
  const { baseUrl, kill } = await startServer({ TOKEN_MS: "25" }, "answers");
  onTestFinished(kill);
  const page = await openPage("about:blank");
  const problems: string[] = [];
  page.on("console", (message) => {
    // The browser logs the reply that tells of a discard.
    if (message.type() === "error" && !message.text().includes("410")) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  onTestFinished(() => expect(problems).toEqual([]));
  await page.goto(baseUrl + path);
  return page;
}

/** Reads the operation that a page has saved, and the text that its output has. */
async function readSaved(page: Page): Promise<{ readonly status: string; readonly text: string }> {
  const saved = await page.evaluate("Object.values(localStorage).join()");
  const [, id] = /"operationId":"([^"]+)"/.exec(String(saved)) ?? [];
  const read = async (path: string) => (await fetch(new URL(`/operations/${id}${path}`, page.url()))).json();
  const { status } = (await read("")) as { readonly status: string };
  const chunks = (await read("/output")) as readonly (string | { readonly delta?: string })[];
  const text = chunks.map((chunk) => (typeof chunk === "string" ? chunk : (chunk.delta ?? ""))).join("");
  return { status, text };
}

/** How the two pages differ for a test. */
const PAGES = {
  "the page of React": { path: "/", send: "Ask", answer: (page: Page) => page.locator("article") },
  "the page with useChat": {
    path: "/chat",
    send: "Send",
    answer: (page: Page) => page.getByRole("article", { name: "assistant" }),
  },
} as const;

it.skipIf(isMissing && !process.env.CI)("the pages of the example compile", () => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false", "-p", folder], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});

describe.skipIf(isMissing && !process.env.CI).each(Object.entries(PAGES))(
  "%s",
  (_, { path, send, answer }) => {
    async function ask(prompt: string): Promise<Page> {
      const page = await openExample(path);
      await page.getByRole("textbox").fill(prompt);
      await page.getByRole("button", { name: send }).click();
      return page;
    }
    const textOf = async (page: Page): Promise<string> => (await answer(page).textContent()) ?? "";
    /** Waits until the answer has this text, and more can come. */
    const waitFor = (page: Page, text: string) => expect.poll(() => textOf(page)).toContain(text);
    const waitForEnd = (page: Page) =>
      expect.poll(() => page.getByRole("button", { name: "Stop" }).isDisabled()).toBe(true);

    it("shows an answer word by word", async () => {
      const page = await ask(LONG);
      const lengths = new Set<number>();
      await expect.poll(async () => lengths.add((await textOf(page)).length).size).toBeGreaterThan(5);
      await waitForEnd(page);
      expect(await textOf(page)).toBe(answerTo(LONG));
    });

    it("goes on after a reload in the middle", async () => {
      const page = await ask(LONG);
      await waitFor(page, "word by word");
      await page.reload();
      await waitFor(page, "You asked:");
      await expect.poll(() => textOf(page)).toBe(answerTo(LONG));
      await waitForEnd(page);
      await page.reload();
      await expect.poll(() => textOf(page)).toBe(answerTo(LONG));
      expect(await answer(page).count()).toBe(1);
    });

    it("keeps the part that stands after Stop", async () => {
      const page = await ask(LONG);
      await waitFor(page, "word by word");
      await page.getByRole("button", { name: "Stop" }).click();
      await waitForEnd(page);
      await expect.poll(() => readSaved(page)).toMatchObject({ status: "failed" });
      const { text } = await readSaved(page);
      expect(text.length).toBeLessThan(answerTo(LONG).length);
      expect(text.startsWith(await textOf(page))).toBe(true);
      expect(await textOf(page)).toContain("word by word");
      await page.reload();
      await expect.poll(() => textOf(page)).toBe(text);
      await waitForEnd(page);
    });

    it("replaces what an attempt that failed has written", async () => {
      const page = await ask(FAILING);
      await waitFor(page, "restart of the worker");
      await expect.poll(() => textOf(page)).not.toContain("restart of the worker");
      await expect.poll(() => textOf(page)).toBe(answerTo(FAILING));
      await waitForEnd(page);
      expect(await answer(page).count()).toBe(1);
    });
  },
);
