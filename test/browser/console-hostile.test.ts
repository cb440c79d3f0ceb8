import { createMemoryBackend, defineOperation } from "async-request-reply";
import { basic, createConsole } from "async-request-reply/console";
import { toNodeHandler } from "async-request-reply/node";
import { createOperator } from "async-request-reply/operator";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { useConsole } from "./console-page.js";
import { listen } from "./cors-service.js";

const { openConsole } = useConsole();

const ATTACK = `"'></pre><img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
const ID = "01900000-0000-7000-8000-00000000000";

const orders = defineOperation({ name: "orders", path: "/orders", input: z.unknown() });

/** Starts a console whose store has the attack in every text: of a failed operation, and of one that is retried. */
async function startHostile(): Promise<string> {
  const backend = createMemoryBackend();
  const { operations } = backend;
  const problem = JSON.stringify({ type: ATTACK, title: ATTACK, detail: ATTACK, attempt: 1, at: 1_000 });
  const json = JSON.stringify({ [ATTACK]: ATTACK, list: [ATTACK, { [ATTACK]: [ATTACK] }] });
  for (const number of [1, 2]) {
    const id = `${ID}${number}`;
    const texts = { tenant: ATTACK, principal: ATTACK, key: `${ATTACK}${number}`, input: json, meta: json };
    await operations.create({ id, definition: "orders", retentionMs: 3_600_000, ...texts });
    const definition = { name: "orders", slots: 1, leaseMs: 60_000, suspects: 1 };
    await operations.claim({ token: id, limit: 1, operationId: id, definitions: [definition] });
    const failure = { lastError: problem, progress: json };
    const settlement =
      number === 1
        ? ({ to: "failed", error: problem, ...failure } as const)
        : ({ to: "retry", delayMs: 0, countAttempt: true, ...failure } as const);
    await operations.settle({ operationId: id, token: id }, settlement);
  }
  await operations.pause("orders", ATTACK);
  const acted = { definition: "orders", by: ATTACK, via: ATTACK, facts: json };
  for (const operationId of [`${ID}1`, ATTACK])
    await backend.actions.record({ id: operationId, action: ATTACK as "pause", operationId, ...acted });
  const operator = createOperator({ backend, definitions: [orders], observe: false });
  const page = createConsole({ operator, observe: false, authorize: basic({ work: "operate" }) });
  return listen(toNodeHandler(page));
}

describe("a text of a stored operation", () => {
  it("never becomes markup, wherever the console shows it", async () => {
    const url = await startHostile();
    const encoded = encodeURIComponent(ATTACK);
    const views = [
      "/",
      "/?show=overview&definition=orders",
      "/?show=failures",
      "/?show=list&status=all",
      `/?show=list&status=all&tenant=${encoded}`,
      `/?show=failures&words=${encoded}&errorType=work-failed`,
      `/?operationId=${ID}1`,
      `/?operationId=${ID}2`,
    ];
    for (const view of views) {
      const page = await openConsole(`${url}${view}`);
      const payload = page.getByRole("button", { name: "Show the payload" });
      if (await payload.isVisible()) {
        await payload.click();
        await page.getByRole("region", { name: "input" }).waitFor();
      }
      const isListed = view.includes("definition") || view.endsWith("1");
      expect((await page.locator(".acted").getByText(ATTACK).count()) > 0, view).toBe(isListed);
      const expected = view.includes("words") ? "value" : "text";
      if (expected === "text") expect(await page.locator("main").innerText(), view).toContain("onerror");
      expect(await page.locator("main img, main script, main pre script").count(), view).toBe(0);
      expect(await page.title(), view).not.toBe("broken");
      await page.close();
    }
  });
});
