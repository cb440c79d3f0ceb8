import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Overview, Sent, Series } from "../../src/console/wire.js";
import { expectToFit, textsOf, useConsole } from "./console-page.js";
import { startConsole } from "./console-stage.js";

const { openConsole } = useConsole();

const FROM = Date.parse("2026-01-01T10:00:00Z");
const at = (minute: number): string => new Date(FROM + minute * 60_000).toISOString();

function point(
  minute: number,
  counts: Partial<Sent<Series>["points"][number]>,
): Sent<Series>["points"][number] {
  return { start: at(minute), accepted: 0, completed: 0, failed: 0, cancelled: 0, ...counts };
}

const quantiles = (p50Ms: number, p95Ms: number) => ({ p50Ms, p95Ms, p99Ms: p95Ms });

/** Opens the page of a definition with a chart of this and so many unfinished operations. */
async function openCharts(
  given: Partial<Sent<Series>>,
  due: Sent<Overview>["stats"][number]["due"],
): Promise<Page> {
  const { url } = await startConsole();
  return openConsole(`${url}/?show=overview&definition=orders`, {}, "operate", async (page) => {
    await page.route("**/api/series*", (route) =>
      route.fulfill({ json: { from: at(0), to: at(60), stepMs: 60_000, points: [], ...given } }),
    );
    await page.route("**/api/overview*", async (route) => {
      const response = await route.fetch();
      const overview: Sent<Overview> = await response.json();
      const stats = overview.stats.map((each) => ({ ...each, due }));
      await route.fulfill({ response, json: { ...overview, stats } });
    });
  });
}

/** Returns the rows of the table, without their times. */
async function rowsOf(page: Page): Promise<readonly string[]> {
  await page.getByText("Show the charts as a table").click();
  const rows = await textsOf(page, "table.plain tbody tr");
  return rows.map((text) => text.split("\t").slice(1).join(" | "));
}

it("draws throughput, backlog and times, and says them in a table", async () => {
  const points = [
    point(10, {
      accepted: 5,
      completed: 1,
      total: quantiles(2_000, 9_000),
      waiting: quantiles(1_000, 5_000),
    }),
    point(20, { failed: 2, cancelled: 1, running: quantiles(20, 800) }),
  ];
  const page = await openCharts({ points }, { count: 3, more: false });
  const charts = page.locator("#charts");
  for (const said of [
    "A bar is 1 min, at most 2.",
    "Backlog: 3 now, 6 at its peak.",
    "Time to the end: up to 9 s.",
    "Waiting: up to 5 s.",
    "Running: up to 800 ms.",
  ])
    await charts.getByText(said).waitFor();
  expect(await charts.locator("path.backlog").count()).toBe(1);
  expect(await charts.locator("path.median").count()).toBe(3);
  expect(await charts.locator("path.slow[d^=M]").count()).toBe(3);
  expect(await rowsOf(page)).toEqual([
    "1 | 0 | 5 | 6 | 2 s, 9 s | 1 s, 5 s | –",
    "0 | 2 | 0 | 3 | – | – | 20 ms, 800 ms",
  ]);
  await expectToFit(page, "an open table");
});

it("marks what people did", async () => {
  const marks = [
    { at: at(30.5), action: "redrive-many", by: "bob" },
    { at: at(30), action: "resume" },
    { at: at(20), action: "pause", by: "ann" },
  ] as const;
  const page = await openCharts({ marks, points: [point(25, { accepted: 1 })] }, { count: 3, more: false });
  const titles = await page.locator("#charts figure").first().locator("title").allTextContents();
  expect(titles).toEqual([
    expect.stringMatching(/: Resumed\n.+: Many run again by bob$/),
    expect.stringMatching(/: Paused by ann$/),
  ]);
  expect(await rowsOf(page)).toEqual([
    " |  |  |  |  |  |  | Paused by ann",
    "0 | 0 | 1 | 3 | – | – | – | ",
    " |  |  |  |  |  |  | Resumed",
    " |  |  |  |  |  |  | Many run again by bob",
  ]);
});

it("says at least where a count stops", async () => {
  const points = [point(10, { completed: 7 }), point(20, { accepted: 2 })];
  const page = await openCharts({ points }, { count: 10_000, more: true });
  await page.getByText("Backlog: at least 10,000 now, at least 10,005 at its peak.").waitFor();
  expect((await rowsOf(page))[0]).toContain("9,998+");
});

it("shows the backlog of work that was accepted before the range", async () => {
  const page = await openCharts({ points: [point(10, { completed: 7 })] }, { count: 0, more: false });
  await page.getByText("Backlog: 0 now, 7 at its peak.").waitFor();
  expect((await rowsOf(page))[0]).toContain("| 0 |");
});
