import { byId, element } from "./dom.js";

/** A dialog whose content changes while it is open. */
export interface Dialog {
  /** Replaces everything below the title. */
  show(...children: readonly (Node | string)[]): void;
  close(): void;
  /** Resolves when the dialog is closed, also by Escape. */
  readonly closed: Promise<void>;
}

/** Opens the dialog. The browser keeps the focus inside it, and returns the focus when it is closed. */
export function openDialog(title: string): Dialog {
  const dialog = byId<HTMLDialogElement>("dialog");
  const content = element("div");
  dialog.replaceChildren(element("h2", { id: "dialog-title" }, title), content);
  dialog.showModal();
  return {
    show: (...children) => content.replaceChildren(...children),
    close: () => dialog.close(),
    closed: new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(), { once: true });
    }),
  };
}

/** Shows an error until the next load, or hides it. Screen readers announce it. */
export function showProblem(error: unknown): void {
  const problem = byId("problem");
  problem.hidden = error === undefined;
  problem.textContent = error instanceof Error ? error.message : "";
}

/** Announces what was done. */
export function announce(sentence: string): void {
  byId("status").textContent = sentence;
}
