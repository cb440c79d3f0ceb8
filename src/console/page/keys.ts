import { button, byId, element, openDialog } from "./dom.js";

const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ["/", "Search"],
  ["j", "Next row"],
  ["k", "Previous row"],
  ["Enter", "Open the row"],
  ["Esc", "Leave the search or the filters, or go back to the list"],
  ["?", "Show this help"],
];

/** Name under which the browser remembers that single keys do nothing, for people who speak to their computer. */
const OFF = "async-request-reply.keys-off";

/** Actions of keys that concern other parts of the page. */
interface Actions {
  /** Goes back from an operation. */
  back(): void;
}

/** Starts to listen to the keyboard. */
export function startKeys({ back }: Actions): void {
  const actions: Readonly<Record<string, () => void>> = {
    "/": () => byId("search-field").focus(),
    j: () => step(1),
    k: () => step(-1),
    "?": showHelp,
  };
  byId("help").addEventListener("click", showHelp);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId<HTMLDialogElement>("dialog").open) return;
    if (event.key === "Escape") leave(back);
    else if (!isTyping(event.target) && !isOff() && event.key in actions) {
      event.preventDefault();
      actions[event.key]?.();
    }
  });
}

/** Moves the focus to the next or the previous row that can be opened. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".opens-row")].filter((row) =>
    row.checkVisibility(),
  );
  const current = rows.findIndex((row) => row.closest("tr") === document.activeElement?.closest("tr"));
  const target = current === -1 ? rows[0] : rows[current + by];
  target?.focus();
  target?.scrollIntoView({ block: "nearest" });
}

/** Leaves the search or the filters, or else the operation. */
function leave(back: () => void): void {
  const panel = byId<HTMLDetailsElement>("filter-panel");
  if (panel.open && panel.checkVisibility()) {
    panel.open = false;
    panel.querySelector("summary")?.focus();
  } else if (isTyping(document.activeElement)) (document.activeElement as HTMLElement).blur();
  else back();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input:not([type=checkbox]), select, textarea");
}

function showHelp(): void {
  const dialog = openDialog("Keyboard shortcuts");
  const rows = KEYS.map(([key, meaning]) =>
    element("div", {}, element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning)),
  );
  const box = element("input", { type: "checkbox" });
  box.checked = !isOff();
  box.addEventListener("change", () => setOff(!box.checked));
  dialog.show(
    element("dl", { class: "keys" }, ...rows),
    element("p", {}, "An id that you paste anywhere on the page opens its operation."),
    element("label", { class: "check" }, box, " Use single keys"),
    element("div", { class: "actions" }, button("Close", dialog.close)),
  );
}

/** A browser can refuse to remember anything. */
function isOff(): boolean {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false;
  }
}

function setOff(off: boolean): void {
  try {
    if (off) localStorage.setItem(OFF, "");
    else localStorage.removeItem(OFF);
  } catch {
    // Then keys stay as they are.
  }
}
