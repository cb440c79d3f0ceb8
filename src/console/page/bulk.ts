import type { RedrivePreview } from "../../operator/redrive-many.js";
import { type BulkFilter, countMatches, redriveSome } from "./api.js";
import { FILTER_NAMES } from "./chips.js";
import { announce, button, type Dialog, element, openDialog } from "./dom.js";
import { counted, duration } from "./format.js";
import { shortId } from "./ids.js";
import { listOf, type Page, readView, type View, viewLink } from "./view.js";

/** The server runs 10 operations per request, so one request per second keeps the rate. */
const INTERVAL_MS = 1_000;

/** Progress of a bulk redrive, which can be continued after an error or a stop. */
interface Run {
  readonly filter: BulkFilter;
  readonly preview: RedrivePreview;
  cursor: string | undefined;
  redriven: number;
  skipped: number;
  stopping: boolean;
}

/** Maximum number of operations that run again per second. */
const PER_SECOND = 10;

/** Counts what matches a filter, without running anything, and then offers to run it again. */
export async function openBulk({ reload, go }: Page, filter: BulkFilter): Promise<void> {
  const dialog = openDialog("Run failed operations again");
  const run: { current?: Run } = {};
  void dialog.closed.then(() => {
    const { current } = run;
    if (current !== undefined) current.stopping = true;
    // If nothing has changed, the focus stays where it returns to.
    return current === undefined || current.redriven + current.skipped === 0 ? undefined : reload();
  });
  dialog.show(element("p", { role: "status" }, "Counting…"));
  try {
    const preview = await countMatches(filter);
    run.current = { filter, preview, cursor: undefined, redriven: 0, skipped: 0, stopping: false };
    offer(dialog, run.current, go);
  } catch (error) {
    dialog.show(element("p", { role: "alert" }, textOf(error)), button("Close", dialog.close));
  }
}

function offer(dialog: Dialog, run: Run, go: Page["go"]): void {
  const { preview, filter } = run;
  const matches = `Failed operations that match and have not been run again: ${counted(preview)}.`;
  const chosen = element("ul", { class: "filter" }, ...Object.entries(filter).map(toItem));
  if (preview.count === 0 && !preview.more) {
    dialog.show(chosen, element("p", { role: "status" }, matches), button("Close", dialog.close));
    return;
  }
  const sample = preview.sample.map((operationId) => {
    const view = listOf({ ...readView(), operationId });
    const leave = (target: View): void => {
      dialog.close();
      go(target);
    };
    return element("li", {}, viewLink(leave, view, shortId(operationId)));
  });
  const start = button("Start", () => runAll(dialog, run), { class: "primary" });
  const takes = preview.more ? "more than " : "about ";
  dialog.show(
    element("p", { class: "note" }, "A dry run has counted. Nothing runs yet."),
    chosen,
    element("p", { role: "status" }, matches),
    element(
      "p",
      {},
      `Each runs again as a new operation, ${PER_SECOND} per second: ${takes}${timeFor(preview.count)}. It stops if you close the page.`,
    ),
    element("details", {}, element("summary", {}, "Examples"), element("ul", {}, ...sample)),
    element("div", { class: "actions" }, start, button("Close", dialog.close)),
  );
  start.focus();
}

function toItem([name, value]: readonly [string, string | boolean]): HTMLElement {
  const label = FILTER_NAMES[name as keyof typeof FILTER_NAMES];
  return element("li", {}, element("span", { class: "note" }, label), value === true ? "" : ` ${value}`);
}

function timeFor(count: number): string {
  return duration(Math.max(1, Math.ceil(count / PER_SECOND)) * 1_000);
}

async function runAll(dialog: Dialog, run: Run): Promise<void> {
  run.stopping = false;
  const bar = element("progress", { "aria-label": "Operations that were run again" });
  if (!run.preview.more) bar.max = run.preview.count;
  const text = element("p", { role: "status" });
  const stop = button("Stop", () => {
    run.stopping = true;
    stop.disabled = true;
  });
  dialog.show(bar, text, element("div", { class: "actions" }, stop));
  stop.focus();
  try {
    do {
      const next = new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
      await runSome(run);
      if (!run.preview.more) bar.value = run.redriven + run.skipped;
      const left = run.preview.count - run.redriven - run.skipped;
      const rest = run.preview.more || left <= 0 ? "" : ` About ${timeFor(left)} left.`;
      text.textContent = progressOf(run) + rest;
      if (run.cursor !== undefined && !run.stopping) await next;
    } while (run.cursor !== undefined && !run.stopping);
    end(dialog, run, run.cursor === undefined ? "Done." : "Stopped.");
  } catch (error) {
    end(dialog, run, textOf(error));
  }
}

async function runSome(run: Run): Promise<void> {
  const { redriven, skipped, cursor } = await redriveSome(run.filter, run.cursor);
  run.redriven += redriven;
  run.skipped += skipped;
  run.cursor = cursor;
}

/** Shows the result. The rest can be continued. */
function end(dialog: Dialog, run: Run, sentence: string): void {
  const isDone = run.cursor === undefined && sentence === "Done.";
  const close = button("Close", dialog.close);
  const actions = isDone ? [close] : [button("Continue", () => runAll(dialog, run)), close];
  dialog.show(
    element("p", { role: "status" }, `${sentence} ${progressOf(run)}`),
    element("div", { class: "actions" }, ...actions),
  );
  actions[0]?.focus();
  announce(`${sentence} ${progressOf(run)}`);
}

function progressOf({ redriven, skipped }: Run): string {
  return `${redriven.toLocaleString("en")} run again, ${skipped.toLocaleString("en")} skipped.`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
