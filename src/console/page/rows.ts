import { maskMessage } from "../../operator/mask-message.js";
import type { OperationSummary } from "../../operator/summary.js";
import type { Sent } from "../wire.js";
import { button, type Column, element, table } from "./dom.js";
import { ago } from "./format.js";
import { kindOf, reasonOf } from "./reason.js";

type Listed = Sent<OperationSummary>;

/** Fewer rows are not worth a click. */
const FOLDED = 3;

/** Reasons whose rows are shown. They stay open when the page loads the list again. */
const opened = new Set<string>();

/** Creates a table in which operations that failed for one reason are one row, until someone opens it. */
export function foldedTable(
  caption: string,
  columns: readonly Column<Listed>[],
  operations: readonly Listed[],
): HTMLTableElement {
  const kinds = byKind(operations);
  const created = table(caption, columns, [...kinds.values()].flat());
  const rows = [...(created.tBodies[0]?.rows ?? [])];
  for (const [kind, members] of kinds) {
    const own = rows.splice(0, members.length);
    if (members.length > 1) own[0]?.before(foldOf({ kind, members, rows: own, columns: columns.length }));
  }
  return created;
}

/**
 * Returns the operations by their reason, in the order of the newest of each. Those whose reason few others have stay alone and in
 * their place, and so do all if they have one reason.
 */
function byKind(operations: readonly Listed[]): ReadonlyMap<string, readonly Listed[]> {
  const kinds = operations.map(kindOf);
  const isOne = new Set(kinds).size === 1;
  const folded = new Map<string, Listed[]>();
  for (const [index, operation] of operations.entries()) {
    const kind = kinds[index] ?? "";
    const isFolded = !isOne && kind !== "" && kinds.filter((each) => each === kind).length >= FOLDED;
    const key = isFolded ? kind : operation.operationId;
    folded.set(key, [...(folded.get(key) ?? []), operation]);
  }
  return folded;
}

/** The rows of one reason. */
interface Fold {
  readonly kind: string;
  readonly members: readonly Listed[];
  readonly rows: readonly HTMLTableRowElement[];
  /** Number of columns of the table. */
  readonly columns: number;
}

/** Creates the row that stands for the rows of one reason, and shows and hides them. */
function foldOf({ kind, members, rows, columns }: Fold): HTMLElement {
  const [newest] = members as readonly [Listed];
  const toggle = button("", () => show(!opened.has(kind)), { class: "fold opens-row" });
  const count = element("span", { class: "count" }, `${members.length} ×`);
  const reason = element("span", { class: "reason" }, maskMessage(reasonOf(newest)));
  const note = element("span", { class: "note" }, newest.definition, ", newest ", ago(newest.createdAt));
  toggle.append(count, reason, note);
  const show = (isOpen: boolean): void => {
    if (isOpen) opened.add(kind);
    else opened.delete(kind);
    toggle.setAttribute("aria-expanded", String(isOpen));
    for (const row of rows) row.hidden = !isOpen;
  };
  for (const row of rows) row.classList.add("folded");
  show(opened.has(kind));
  const cell = element("td", { role: "cell", colspan: String(columns) }, toggle);
  return element("tr", { role: "row", class: "fold-row" }, cell);
}
