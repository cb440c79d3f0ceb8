import { cancel, redrive } from "./api.js";
import { announce, button, element, openDialog, showProblem } from "./dom.js";
import type { Page } from "./view.js";

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

/** A change that was made, and how to undo it, if that is possible. */
export interface Done {
  readonly sentence: string;
  readonly undo?: { readonly label: string; readonly change: () => Promise<Done> };
}

/** Creates the button that cancels an operation after a question. */
export function cancelButton(page: Page, operationId: string): HTMLButtonElement {
  return button("Cancel the operation…", () =>
    ask(page, {
      title: "Cancel the operation?",
      says: [
        "The operation then fails, and its client sees that it was cancelled. This cannot be undone, but you can run it again as a new operation.",
      ],
      confirm: "Cancel it",
      keep: "Keep it",
      change: () => cancelled(operationId),
    }),
  );
}

async function cancelled(operationId: string): Promise<Done> {
  return { sentence: CANCELLED[(await cancel(operationId)).outcome] };
}

/** Creates the button that runs a failed operation again. */
export function redriveButton(page: Page, operationId: string): HTMLButtonElement {
  const title = "Creates a new operation with the same input. This one stays as it is.";
  return button("Run again", () => act(page, () => redriven(operationId)), { class: "primary", title });
}

async function redriven(operationId: string): Promise<Done> {
  const { outcome, operation } = await redrive(operationId);
  if (operation === undefined) return { sentence: NOT_REDRIVEN[outcome] ?? "" };
  const sentence = `It runs again as ${operation.operationId}.`;
  if (outcome !== "redriven") return { sentence };
  return { sentence, undo: { label: "Cancel the new one", change: () => cancelled(operation.operationId) } };
}

/** A question before a change. */
interface Question {
  readonly title: string;
  /** Sentences that say what the change does, and to how many. */
  readonly says: readonly string[];
  /** Label of the button that makes the change. */
  readonly confirm: string;
  /** Label of the button that does nothing. */
  readonly keep: string;
  readonly change: () => Promise<Done>;
}

/** Asks a question, and makes the change if the answer is yes. */
export function ask(page: Pick<Page, "reload">, { title, says, confirm, keep, change }: Question): void {
  const dialog = openDialog(title);
  const yes = button(
    confirm,
    async () => {
      dialog.close();
      await act(page, change);
    },
    { class: "primary" },
  );
  dialog.show(
    ...says.map((sentence) => element("p", {}, sentence)),
    element("div", { class: "actions" }, yes, button(keep, dialog.close)),
  );
}

/** Makes a change, loads the page again, announces the change and offers to undo it. */
export async function act(page: Pick<Page, "reload">, change: () => Promise<Done>): Promise<void> {
  try {
    const { sentence, undo } = await change();
    await page.reload();
    announce(sentence, undo && { label: undo.label, run: () => act(page, undo.change) });
  } catch (error) {
    showProblem(error);
  }
}
