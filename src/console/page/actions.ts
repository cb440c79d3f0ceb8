import { cancel, changePause, redrive } from "./api.js";
import { announce, button, element, openDialog, showProblem } from "./dom.js";
import type { Page } from "./view.js";

type Counts = Page["overview"]["stats"][number];

const CANCELLED = {
  cancelled: "The operation was cancelled.",
  requested: "A worker is running it and was asked to stop.",
  terminal: "The operation has already ended.",
  unknown: "The operation no longer exists, or cannot be cancelled.",
} as const;

const NOT_REDRIVEN: Readonly<Record<string, string>> = {
  unfinished: "The operation has not ended.",
  completed: "The operation has completed.",
  "no-work": "This operation has no work to run again.",
  unknown: "The operation no longer exists.",
};

/** Creates the button that cancels an operation after a question. */
export function cancelButton(page: Page, operationId: string): HTMLButtonElement {
  return button("Cancel the operation…", () => {
    const dialog = openDialog("Cancel the operation?");
    const confirm = button("Cancel it", async () => {
      dialog.close();
      await act(page, async () => CANCELLED[(await cancel(operationId)).outcome]);
    });
    dialog.show(
      element("p", {}, "The operation then fails, and its client sees that it was cancelled."),
      element("div", { class: "actions" }, confirm, button("Keep it", dialog.close)),
    );
  });
}

/** Creates the button that runs a failed operation again. */
export function redriveButton(page: Page, operationId: string): HTMLButtonElement {
  return button(
    "Run again",
    () =>
      act(page, async () => {
        const { outcome, operation } = await redrive(operationId);
        return operation === undefined
          ? (NOT_REDRIVEN[outcome] ?? "")
          : `It runs again as ${operation.operationId}.`;
      }),
    { class: "primary" },
  );
}

/** Creates the button that pauses a definition after a question, or resumes it. */
export function pauseButton(
  page: Pick<Page, "reload">,
  definition: string,
  { paused }: Counts,
): HTMLButtonElement {
  if (paused !== undefined)
    return button(
      "Resume",
      () =>
        act(page, async () => {
          await changePause(definition, false);
          return `Workers begin ${definition} again.`;
        }),
      { "aria-label": `Resume ${definition}` },
    );
  return button(
    "Pause…",
    () => {
      const dialog = openDialog(`Pause ${definition}?`);
      const confirm = button("Pause it", async () => {
        dialog.close();
        await act(page, async () => {
          await changePause(definition, true);
          return `Workers begin no more ${definition}.`;
        });
      });
      dialog.show(
        element("p", {}, "New work is accepted and waits. Work that has begun goes on."),
        element("div", { class: "actions" }, confirm, button("Keep it running", dialog.close)),
      );
    },
    { "aria-label": `Pause ${definition}…` },
  );
}

/** Makes a change, announces it and loads the page again. */
export async function act({ reload }: Pick<Page, "reload">, change: () => Promise<string>): Promise<void> {
  try {
    const sentence = await change();
    await reload();
    announce(sentence);
  } catch (error) {
    showProblem(error);
  }
}
