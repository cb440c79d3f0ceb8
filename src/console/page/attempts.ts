import type { Details, Sent, TimelineEntry } from "../wire.js";
import { barOf, type Span } from "./bar.js";
import { type Child, element } from "./dom.js";
import { exactDuration, exactly } from "./format.js";
import { operationLink, type Page } from "./view.js";

type Entry = Sent<TimelineEntry>;

/** Shows what happened to an operation. Each attempt is a bar, after the wait before it, on one axis of time. */
export function timelineOf(
  page: Page,
  { operation, timeline }: Pick<Sent<Details>, "operation" | "timeline">,
): HTMLElement {
  const from = Date.parse(operation.createdAt);
  const { finishedAt } = operation;
  const to = finishedAt === undefined ? Math.max(Date.now(), from) : Date.parse(finishedAt);
  let reached = from;
  const items = timeline.map((entry, index) => {
    const spans = spansOf(entry, reached, nextIn(timeline, index) ?? to);
    const isLost = timeline[index - 1]?.event === "attempt-lost";
    // The gap of a lost attempt lasts until the next one begins.
    const shown = isLost ? spans.filter(({ kind }) => kind !== "wait") : spans;
    reached = msOf(entry.at) ?? reached;
    return itemOf(page, entry, { from, to, spans: shown });
  });
  return element("ol", { class: "timeline" }, ...items);
}

function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

/** Returns when the next event whose time is known began. */
function nextIn(timeline: readonly Entry[], index: number): number | undefined {
  const times = timeline.slice(index + 1).map(({ startedAt, at }) => startedAt ?? at);
  return msOf(times.find((time) => time !== undefined));
}

/** Returns the wait since the last known time, and the attempt. A clock that differs from others leaves no wait. */
function spansOf({ event, startedAt, at }: Entry, reached: number, next: number): readonly Span[] {
  const end = msOf(at) ?? next;
  if (event === "waiting" || event === "failed") return wait(reached, end);
  if (!event.startsWith("attempt-")) return [];
  const start = msOf(startedAt) ?? reached;
  return [...wait(reached, start), { kind: event === "attempt-lost" ? "gap" : "run", start, end }];
}

function wait(start: number, end: number): readonly Span[] {
  return end > start ? [{ kind: "wait", start, end }] : [];
}

interface Place {
  readonly from: number;
  readonly to: number;
  readonly spans: readonly Span[];
}

function itemOf(page: Page, entry: Entry, { from, to, spans }: Place): HTMLElement {
  const { event, startedAt, detail = "", other } = entry;
  const at = entry.at ?? startedAt;
  const offset = at === undefined ? undefined : ` +${exactDuration(Math.max(0, Date.parse(at) - from))}`;
  return element(
    "li",
    { class: event },
    element("span", { class: "when" }, at && exactly(at), offset && element("b", {}, offset)),
    spans.length === 0 ? element("span", { class: "bar" }) : barOf({ from, to }, spans),
    element("span", { class: "what" }, ...sentenceOf(entry), other && operationLink(page, other)),
    factsOf(entry, spans),
    detail === "" ? undefined : element("span", { class: "detail" }, detail),
  );
}

/** Says when an attempt began, how long it waited and ran, and where. */
function factsOf({ event, attempt, startedAt, at, process }: Entry, spans: readonly Span[]): Child {
  if (startedAt === undefined) return undefined;
  const waited = spans.find(({ kind }) => kind === "wait");
  const run =
    event === "attempt-lost" || at === undefined ? undefined : Date.parse(at) - Date.parse(startedAt);
  const waiting = attempt === 1 ? "waiting" : "backing off";
  return element(
    "span",
    { class: "detail" },
    "Began ",
    exactly(startedAt),
    waited && ` after ${waiting} ${exactDuration(waited.end - waited.start)}`,
    run === undefined ? undefined : `, ran ${exactDuration(Math.max(0, run))}`,
    process && `, process ${process}`,
  );
}

function sentenceOf({ event, attempt, other, until }: Entry): readonly Child[] {
  switch (event) {
    case "accepted":
      return [other === undefined ? "Accepted" : "Created to run again "];
    case "omitted":
      return [`Attempts up to ${attempt} are no longer kept`];
    case "attempt-lost":
      return [`Attempt ${attempt} lost its lease, so its outcome is not known`];
    case "attempt-failed":
      return [`Attempt ${attempt} failed`];
    case "attempt-running":
      return [`Attempt ${attempt} began and has not ended yet`];
    case "attempt-cancelled":
      return [`Attempt ${attempt} was cancelled`];
    case "attempt-completed":
      return [`Completed in attempt ${attempt}`];
    case "waiting":
      return until !== undefined && Date.parse(until) > Date.now()
        ? ["Waiting until ", exactly(until)]
        : ["Waiting to run"];
    case "failed":
      return ["Failed"];
    case "redriven":
      return ["Run again as "];
  }
}
