/** Content of an element. Text never becomes markup. */
export type Child = Node | string | undefined;

/** Creates an element. Attributes that are undefined are left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) created.setAttribute(name, value);
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

/** Creates a part of a picture. */
export function svg(
  tag: "svg" | "rect" | "path" | "title",
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): SVGElement {
  const created = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** Creates a button that runs an action. */
export function button(
  label: string,
  onClick: () => unknown,
  attributes: Record<string, string> = {},
): HTMLButtonElement {
  const created = element("button", { type: "button", ...attributes }, label);
  created.addEventListener("click", onClick);
  return created;
}

/** Returns the element of the page with this id. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  cell(row: Row): Child;
}

/**
 * Creates a table. On a narrow screen every row becomes a card, in which each cell shows the title of its column. That
 * hides the table from screen readers in some browsers, so the roles are explicit.
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): HTMLTableElement {
  const head = columns.map(({ title }) =>
    element("th", { scope: "col", role: "columnheader", "data-title": title }, title),
  );
  const body = rows.map((row) =>
    element(
      "tr",
      { role: "row" },
      ...columns.map(({ title, cell }) => element("td", { role: "cell", "data-title": title }, cell(row))),
    ),
  );
  return element(
    "table",
    { role: "table" },
    element("caption", {}, caption),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...head)),
    element("tbody", { role: "rowgroup" }, ...body),
  );
}

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

/** Announces what was done, and offers to undo it until something else is done. */
export function announce(sentence: string, undo?: { readonly label: string; run(): unknown }): void {
  const offer = undo === undefined ? [] : [" ", button(undo.label, undo.run, { class: "quiet" })];
  byId("status").replaceChildren(sentence, ...offer);
}
