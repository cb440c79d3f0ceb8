import type { Sent, SeriesPoint } from "../wire.js";
import type { Backlog } from "./backlog.js";
import { type Column, element, table } from "./dom.js";
import { clockTime, duration } from "./format.js";
import { type Mark, sentenceOf } from "./marks.js";
import { type Span, stepAt } from "./picture.js";

type Point = Sent<SeriesPoint>;
type Row = { readonly at: string } & ({ readonly point: Point } | { readonly mark: Mark });

/** Everything that the charts of a definition show. */
export interface Charted {
  readonly points: readonly Point[];
  readonly marks: readonly Mark[];
  readonly backlog: Backlog;
  readonly span: Span;
}

/** Is closed, because most people see the charts. It stays open when the page loads them again. */
const disclosure = element("details");

/** Creates a table of what the charts show. */
export function tableOf(charted: Charted): HTMLElement {
  const { points, marks } = charted;
  const rows: readonly Row[] = [
    ...points.map((point) => ({ at: point.start, point })),
    ...marks.map((mark) => ({ at: mark.at, mark })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const shown = table("Times are the median and what 95 % did not exceed.", columnsOf(charted), rows);
  shown.classList.add("plain");
  disclosure.replaceChildren(element("summary", {}, "Show the charts as a table"), shown);
  return disclosure;
}

function columnsOf({ marks, backlog, span }: Charted): readonly Column<Row>[] {
  const ofPoint = (title: string, cell: (point: Point) => string): Column<Row> => ({
    title,
    cell: (row) => ("point" in row ? cell(row.point) : ""),
  });
  const count = (title: string, name: "accepted" | "completed" | "failed"): Column<Row> =>
    ofPoint(title, (point) => point[name].toLocaleString("en"));
  const times = (title: string, name: "total" | "waiting" | "running"): Column<Row> =>
    ofPoint(title, ({ [name]: each }) =>
      each === undefined ? "–" : `${duration(each.p50Ms)}, ${duration(each.p95Ms)}`,
    );
  const left = ofPoint("Backlog", ({ start }) => {
    const value = backlog.values[Math.floor(stepAt(start, span))];
    return value === undefined ? "–" : value.toLocaleString("en") + (backlog.more ? "+" : "");
  });
  const done: Column<Row> = { title: "Done", cell: (row) => ("mark" in row ? sentenceOf(row.mark) : "") };
  return [
    { title: "From", cell: ({ at }) => clockTime(at) },
    count("Completed", "completed"),
    count("Failed", "failed"),
    count("Accepted", "accepted"),
    left,
    times("Time to the end", "total"),
    times("Waiting", "waiting"),
    times("Running", "running"),
    ...(marks.length === 0 ? [] : [done]),
  ];
}
