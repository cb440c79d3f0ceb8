import type { LastHour, Overview, Sent } from "../wire.js";
import { pauseButton } from "./actions.js";
import { byId, type Column, element, table } from "./dom.js";
import { counted, duration, exactly } from "./format.js";
import { listOf, type Page, viewLink } from "./view.js";

interface Row {
  readonly definition: string;
  readonly stats: Sent<Overview>["stats"][number] | undefined;
  readonly lastHour: LastHour | undefined;
}

/** Shows the statistics. Hides what is not counted. */
export function showStatistics(overview: Sent<Overview>, page: Pick<Page, "go" | "reload">): void {
  const { definitions, stats, lastHour, operates } = overview;
  byId("access").textContent = operates ? "You can observe and operate." : "You can observe.";
  const rows = definitions.map((definition) => ({
    definition,
    stats: stats.find((each) => each.definition === definition),
    lastHour: lastHour?.find((each) => each.definition === definition),
  }));
  const columns = [
    definitionColumn(page, operates),
    ...counts(page.go),
    ...(lastHour === undefined ? [] : LAST_HOUR),
  ];
  const caption = "Operations by definition. Failed ones that were run again do not count.";
  byId("statistics-table").replaceChildren(table(caption, columns, rows));
  byId("counted").textContent =
    lastHour === undefined ? "" : "The last hour covers all processes. They write their counts every 10 s.";
}

function counts(go: Page["go"]): readonly Column<Row>[] {
  const column = (title: string, name: "due" | "running" | "scheduled" | "failed"): Column<Row> => ({
    title,
    cell: ({ definition, stats }) => {
      if (stats === undefined) return "";
      const text = counted(stats[name]);
      const view = listOf({ definition, status: name === "failed" ? "failed" : "pending" });
      return viewLink(go, view, text, `${text} ${title.toLowerCase()}: list ${definition}`);
    },
  });
  return [
    column("Due", "due"),
    {
      title: "Oldest due",
      cell: ({ stats }) => (stats?.oldestDueMs === undefined ? "–" : duration(stats.oldestDueMs)),
    },
    column("Running", "running"),
    column("Scheduled", "scheduled"),
    column("Failed", "failed"),
  ];
}

/** Names the definition, and says since when and by whom it is paused. Another column would not fit. */
function definitionColumn(page: Pick<Page, "reload">, pauses: boolean): Column<Row> {
  return {
    title: "Definition",
    cell: ({ definition, stats }) => {
      if (stats === undefined) return definition;
      const { paused } = stats;
      const by = paused?.by === undefined ? "" : ` by ${paused.by}`;
      const since = paused === undefined ? [] : [" – paused since ", exactly(paused.since), by];
      const name = element("span", {}, definition, ...since);
      const button = pauses ? pauseButton(page, definition, paused !== undefined) : undefined;
      return element("div", { class: "definition" }, name, button);
    },
  };
}

const LAST_HOUR: readonly Column<Row>[] = [
  {
    title: "Completed in the last hour",
    cell: ({ lastHour }) => (lastHour?.completed ?? 0).toLocaleString("en"),
  },
  { title: "Failed in the last hour", cell: ({ lastHour }) => (lastHour?.failed ?? 0).toLocaleString("en") },
  {
    title: "Median time to end",
    cell: ({ lastHour }) => (lastHour?.medianMs === undefined ? "–" : duration(lastHour.medianMs)),
  },
  {
    title: "95 % end within",
    cell: ({ lastHour }) => (lastHour?.p95Ms === undefined ? "–" : duration(lastHour.p95Ms)),
  },
];
