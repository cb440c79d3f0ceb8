import type { DefinitionStats } from "../../ports/operation-store.js";
import type { LastHour, Overview } from "../wire.js";
import { byId, type Column, table } from "./dom.js";
import { counted, duration } from "./format.js";
import { listOf, type Page, viewLink } from "./view.js";

interface Row {
  readonly definition: string;
  readonly stats: DefinitionStats | undefined;
  readonly lastHour: LastHour | undefined;
}

/** Shows the statistics. Hides what the back end or this process cannot count. */
export function showStatistics({ definitions, stats, lastHour, operates }: Overview, go: Page["go"]): void {
  byId("access").textContent = operates ? "You can observe and operate." : "You can observe.";
  const rows = definitions.map((definition) => ({
    definition,
    stats: stats?.find((each) => each.definition === definition),
    lastHour: lastHour?.definitions.find((each) => each.definition === definition),
  }));
  const columns = [
    DEFINITION,
    ...(stats === undefined ? [] : counts(go)),
    ...(lastHour === undefined ? [] : LAST_HOUR),
  ];
  byId("statistics").hidden = columns.length === 1;
  const caption = "Operations by definition. Failed ones that were run again do not count.";
  byId("statistics-table").replaceChildren(table(caption, columns, rows));
  byId("counted").textContent =
    lastHour === undefined
      ? ""
      : `The last hour covers the workers of this process, which has counted for ${duration(lastHour.countedMs)}.`;
}

const DEFINITION: Column<Row> = { title: "Definition", cell: ({ definition }) => definition };

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

const LAST_HOUR: readonly Column<Row>[] = [
  {
    title: "Completed in the last hour",
    cell: ({ lastHour }) => (lastHour?.completed ?? 0).toLocaleString("en"),
  },
  { title: "Failed in the last hour", cell: ({ lastHour }) => (lastHour?.failed ?? 0).toLocaleString("en") },
  {
    title: "Median time to end",
    cell: ({ lastHour }) => (lastHour === undefined ? "–" : duration(lastHour.medianMs)),
  },
  {
    title: "95 % end within",
    cell: ({ lastHour }) => (lastHour === undefined ? "–" : duration(lastHour.p95Ms)),
  },
];
