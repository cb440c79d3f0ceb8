import {
  createMemoryBackend,
  createService,
  createWorker,
  defineOperation,
  retryLater,
} from "async-request-reply";
import { basic, createConsole } from "async-request-reply/console";
import { toNodeHandler } from "async-request-reply/node";
import { createOperator } from "async-request-reply/operator";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { expectToFit, useConsole } from "./console-page.js";
import { listen } from "./cors-service.js";

const { openConsole } = useConsole();

const answers = defineOperation({
  name: "answers",
  path: "/answers",
  input: z.unknown(),
  chunk: z.union([z.string(), z.object({ row: z.int() })]),
  checkpoint: z.object({ secret: z.string() }),
});

type Answers = NonNullable<Parameters<typeof createWorker<readonly [typeof answers]>>[1]["answers"]>;
type Answer = Extract<Answers, (...parameters: never[]) => unknown>;
type Step = (job: Parameters<Answer>[1]) => unknown;

/** Starts a console beside an answer that does what the test says, step by step, and has done nothing yet. */
async function startAnswer() {
  const backend = createMemoryBackend();
  const definitions = [answers] as const;
  const service = createService({ definitions, backend, authorize: () => undefined, observe: false });
  const operator = createOperator({ backend, definitions, observe: false });
  const page = createConsole({
    operator,
    observe: false,
    authorize: basic({ watch: "observe", work: "operate" }),
  });
  const steps: Step[] = [];
  let wake = (): void => {};
  const answer: Answer = async (_, job) => {
    for (;;) {
      for (let step = steps.shift(); step !== undefined; step = steps.shift())
        if ((await step(job)) === "end") return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const worker = createWorker(service, { answers: answer });
  await worker.start();
  onTestFinished(async () => {
    act(() => "end");
    await worker.stop();
  });
  function act(...next: readonly Step[]): void {
    steps.push(...next);
    wake();
  }
  const { operationId } = await service.submit(answers, {}, { tenant: "acme" });
  const url = await listen(toNodeHandler(page));
  return { act, url: `${url}/?operationId=${operationId}` };
}

describe("the output of an operation in the console", () => {
  it("appears on request, as it is written, and as text", async () => {
    const { act, url } = await startAnswer();
    act(
      (job) => job.write("Hello <b>wor"),
      (job) => job.checkpoint({ secret: "s3cret" }),
    );
    const page = await openConsole(url);
    const output = page.getByRole("region", { name: "Output" });
    expect(await output.isVisible()).toBe(false);
    await page.getByText("Output", { exact: true }).click();
    await output.getByText("Hello <b>wor", { exact: true }).waitFor();
    const attack =
      "</pre><img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>";
    act(
      (job) => job.write(`ld</b>\n${attack}\n`),
      (job) => job.write({ row: 1 }),
      () => "end",
    );
    await page.getByText("Nothing is added any more.").waitFor();
    expect(await output.textContent()).toBe(`Hello <b>world</b>\n${attack}\n{"row":1}\n`);
    expect(await output.locator("*").count()).toBe(0);
    expect(await page.title()).toMatch(/^Operation /);
    await page.reload();
    const fact = page.locator("dl div").filter({ hasText: "Last checkpoint" });
    await fact.locator("time").waitFor();
    expect(await page.content()).not.toContain("s3cret");
  });

  it("loses what was discarded, and what is not among the last 64 KB", async () => {
    const { act, url } = await startAnswer();
    act(
      (job) => job.write("kept "),
      (job) => job.checkpoint({ secret: "" }),
      (job) => job.write("discarded"),
    );
    const page = await openConsole(url);
    await page.getByText("Output", { exact: true }).click();
    const output = page.getByRole("region", { name: "Output" });
    await output.getByText("kept discarded").waitFor();
    act(
      () => {
        throw retryLater({ afterMs: 0 });
      },
      (job) => job.write("again"),
    );
    await output.getByText("kept again", { exact: true }).waitFor();
    const line = `${"x".repeat(998)}\n`;
    const lines = Array.from({ length: 40 }, (): Step => (job) => job.write(line));
    act(...lines);
    await expect.poll(() => output.textContent()).toBe(`kept again${line.repeat(40)}`);
    act(...lines, () => "end");
    await page.getByText("Only the end of the output is shown. Nothing is added any more.").waitFor();
    expect(await output.textContent()).toBe(line.repeat(65));
  });

  it("stays open when the page is refreshed, and fits", async () => {
    const { act, url } = await startAnswer();
    act((job) => job.write(`${"word ".repeat(500)}${"x".repeat(500)}\n`.repeat(10)));
    const page = await openConsole(url, { viewport: { width: 390, height: 900 } });
    await page.getByText("Output", { exact: true }).click();
    const output = page.getByRole("region", { name: "Output" });
    await output.getByText("word").waitFor();
    await expectToFit(page, "an output at 390 px");
    act((job) => job.checkpoint({ secret: "" }));
    // The time of the checkpoint appears with the refresh.
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Refresh" }).click();
        return page.getByText("Last checkpoint").count();
      })
      .toBe(1);
    expect(await output.isVisible()).toBe(true);
    act((job) => job.write("the end"));
    await output.getByText("the end").waitFor();
  });

  it("is not offered to those who may only observe", async () => {
    const { act, url } = await startAnswer();
    act((job) => job.write("hello"));
    const page = await openConsole(url, {}, "observe");
    await page.getByText("Timeline").waitFor();
    expect(await page.getByText("Output", { exact: true }).count()).toBe(0);
  });
});
