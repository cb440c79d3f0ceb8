import { ask, type Done } from "./actions.js";
import { changePause } from "./api.js";
import { button } from "./dom.js";
import { counted } from "./format.js";
import type { Page } from "./view.js";

type Counts = Page["overview"]["stats"][number];

/** Creates the button that pauses or resumes a definition after a question, which says to how much work. */
export function pauseButton(page: Page, stats: Counts): HTMLButtonElement {
  const { definition, due, running, paused } = stats;
  if (paused !== undefined)
    return button(
      "Resume…",
      () =>
        ask(page, {
          title: `Resume ${definition}?`,
          says: [
            `${counted(due)} are due. Workers begin them at once, as many at a time as they have free slots.`,
          ],
          confirm: "Resume it",
          keep: "Keep it paused",
          change: () => change(definition, false),
        }),
      { "aria-label": `Resume ${definition}…` },
    );
  return button(
    "Pause…",
    () =>
      ask(page, {
        title: `Pause ${definition}?`,
        says: [
          `Within a second, no worker begins any ${definition}. ${counted(due)} are due and wait, and so does new work, which is accepted.`,
          `${counted(running)} run and go on to their end.`,
        ],
        confirm: "Pause it",
        keep: "Keep it running",
        change: () => change(definition, true),
      }),
    { "aria-label": `Pause ${definition}…` },
  );
}

async function change(definition: string, paused: boolean): Promise<Done> {
  await changePause(definition, paused);
  return {
    sentence: paused ? `Workers begin no more ${definition}.` : `Workers begin ${definition} again.`,
    undo: { label: "Undo", change: () => change(definition, !paused) },
  };
}
