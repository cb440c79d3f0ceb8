import { type Column, element, table } from "./dom.js";
import { clockTime, counted, duration } from "./format.js";
import { dotOf, healthOf, type Known } from "./health.js";
import { pauseButton } from "./pause.js";
import { spanOf } from "./picture.js";
import { rangeName } from "./ranges.js";
import { sparkline } from "./sparkline.js";
import { listOf, overviewOf, type Page, viewLink } from "./view.js";

/** Creates the table of definitions. Hides what the back end does not count. */
export function definitionTable(page: Page, known: readonly Known[]): HTMLTableElement {
  const { overview } = page;
  const columns = [
    nameColumn(page),
    // The page of a definition has charts.
    ...(page.view.definition === "" ? sparklineColumn(page) : []),
    ...counts(page),
    ...(overview.recent === undefined ? [] : ENDED),
    ...(overview.operates ? [pauseColumn(page)] : []),
  ];
  return table("Operations by definition. Failed ones that were run again do not count.", columns, known);
}

function nameColumn({ go, view: { range } }: Page): Column<Known> {
  return {
    title: "Definition",
    cell: (known) =>
      element(
        "span",
        { class: "definition" },
        dotOf(healthOf(known).state),
        viewLink(go, { ...overviewOf(known.definition), range }, known.definition, { class: "opens-row" }),
        pauseOf(known),
      ),
  };
}

function pauseOf({ stats }: Known): HTMLElement | undefined {
  if (stats?.paused === undefined) return undefined;
  const { since, by } = stats.paused;
  return element(
    "span",
    { class: "note" },
    "paused since ",
    clockTime(since),
    by === undefined ? "" : ` by ${by}`,
  );
}

function sparklineColumn({ overview: { recent }, view }: Page): readonly Column<Known>[] {
  if (recent === undefined) return [];
  const span = spanOf(recent);
  const pointsOf = (name: string) => recent.points.filter(({ definition }) => definition === name);
  return [
    {
      title: `Last ${rangeName(view)}`,
      cell: ({ definition }) => sparkline(pointsOf(definition), span),
    },
  ];
}

function counts({ go, overview }: Page): readonly Column<Known>[] {
  const column = (title: string, name: "due" | "running" | "scheduled" | "failed"): Column<Known> => ({
    title,
    cell: ({ definition, stats }) => {
      if (stats === undefined) return "";
      const text = counted(stats[name]);
      const view = listOf({ definition, status: name === "failed" ? "failed" : "pending" });
      const kind = name === "failed" && stats.failed.count > 0 ? "bad" : undefined;
      const label = `${text} ${title.toLowerCase()}: list ${definition}`;
      return viewLink(go, view, text, { "aria-label": label, class: kind });
    },
  });
  const running = column("Running", "running");
  return [
    column("Due", "due"),
    {
      title: "Oldest due",
      cell: ({ stats }) => (stats?.oldestDueMs === undefined ? "–" : duration(stats.oldestDueMs)),
    },
    {
      title: running.title,
      cell: (known) => {
        const limit = overview.settings[known.definition]?.limits?.running;
        const of = limit === undefined ? "" : ` of ${limit.toLocaleString("en")}`;
        return element("span", {}, running.cell(known), of);
      },
    },
    column("Scheduled", "scheduled"),
    column("Failed", "failed"),
  ];
}

const ENDED: readonly Column<Known>[] = [
  {
    title: "Completed",
    cell: ({ recent }) => (recent?.completed ?? 0).toLocaleString("en"),
  },
  {
    title: "Median",
    cell: ({ recent }) => (recent?.medianMs === undefined ? "–" : duration(recent.medianMs)),
  },
  {
    title: "95 %",
    cell: ({ recent }) => (recent?.p95Ms === undefined ? "–" : duration(recent.p95Ms)),
  },
];

function pauseColumn(page: Page): Column<Known> {
  return {
    title: "Action",
    cell: ({ stats }) => (stats === undefined ? "" : pauseButton(page, stats)),
  };
}
