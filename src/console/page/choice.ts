import type { OperationSummary } from "../../operator/summary.js";
import type { Sent } from "../wire.js";
import { act } from "./actions.js";
import { redrive } from "./api.js";
import { announce, button, byId, type Column, element } from "./dom.js";
import type { Page } from "./view.js";

/** Time between two operations: 10 per second, as in a bulk redrive. */
const INTERVAL_MS = 100;

/** Returns whether the caller can run an operation again that was not run again before. */
export function canRunAgain(
  { operates, definitions }: Page["overview"],
  { status, retriedBy, definition }: Sent<OperationSummary>,
): boolean {
  const isOpen = status === "failed" && retriedBy === undefined && definitions.includes(definition);
  return operates && isOpen;
}

/** Creates the column of check boxes for operations to run again. */
export function choiceColumn({ overview }: Page): Column<Sent<OperationSummary>> {
  return {
    title: "Choose",
    cell: (operation) => {
      const { operationId: value } = operation;
      if (!canRunAgain(overview, operation)) return undefined;
      const box = element("input", { type: "checkbox", value, "aria-label": `Choose ${value}` });
      box.addEventListener("change", showCount);
      return box;
    },
  };
}

/** Shows what can be done with the chosen operations, if any can be chosen. */
export function showChoice(page: Page): void {
  const all = element("input", { type: "checkbox" });
  all.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    showCount();
  });
  const run = button("", () => runChosen(page), { id: "run-chosen" });
  const isEmpty = boxes().length === 0;
  byId("choice").replaceChildren(
    ...(isEmpty ? [] : [element("label", { class: "check" }, all, " All on this page"), run]),
  );
  if (!isEmpty) showCount();
}

/** Returns whether operations are chosen, which a refresh would undo. */
export function hasChoice(): boolean {
  return chosen().length > 0;
}

async function runChosen(page: Page): Promise<void> {
  byId<HTMLButtonElement>("run-chosen").disabled = true;
  await act(page, async () => {
    let redriven = 0;
    const ids = chosen().map(({ value }) => value);
    for (const [index, id] of ids.entries()) {
      announce(`Running ${index + 1} of ${ids.length} again, 10 per second.`);
      const next = new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
      if ((await redrive(id)).outcome === "redriven") redriven += 1;
      await next;
    }
    return { sentence: `${redriven} run again, ${ids.length - redriven} skipped.` };
  });
}

function showCount(): void {
  const { length } = chosen();
  const run = byId<HTMLButtonElement>("run-chosen");
  run.textContent = `Run ${length} chosen again`;
  run.disabled = length === 0;
}

function chosen(): readonly HTMLInputElement[] {
  return boxes().filter(({ checked }) => checked);
}

function boxes(): readonly HTMLInputElement[] {
  return [...byId("rows").querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
}
