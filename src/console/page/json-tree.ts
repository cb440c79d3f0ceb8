import { element } from "./dom.js";

/** Longest text of a value that is shown in one line. UTF-16 code units. */
const SHORT = 60;
/** Number of members from which a value is folded. */
const MANY = 20;

/** Shows a JSON value. Objects and lists can be folded, and large ones below the first level are. */
export function jsonTree(value: unknown): HTMLElement {
  return element("div", { class: "json" }, nodeOf(undefined, value, 0));
}

function nodeOf(name: string | undefined, value: unknown, depth: number): HTMLElement {
  const label = name === undefined ? "" : `${name}: `;
  const key = element("span", { class: "key" }, label);
  if (typeof value !== "object" || value === null || isShort(value))
    return element("div", {}, key, element("span", { class: kindOf(value) }, JSON.stringify(value)));
  const members = Object.entries(value);
  const [first, last] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const size = element("span", { class: "note" }, ` ${members.length} `);
  const fold = element("details", {}, element("summary", {}, key, first, size, last));
  fold.open = depth === 0 || (depth < 3 && members.length < MANY);
  const list = Array.isArray(value);
  // A closed branch is only built when it is opened, because a payload can have many thousand members.
  const build = (): void => {
    if (fold.open && fold.childElementCount === 1)
      fold.append(...members.map(([member, child]) => nodeOf(list ? undefined : member, child, depth + 1)));
  };
  fold.addEventListener("toggle", build);
  build();
  return fold;
}

function isShort(value: object): boolean {
  const members = Object.values(value);
  const isFlat = members.every((member) => typeof member !== "object" || member === null);
  return isFlat && members.length < MANY && JSON.stringify(value).length <= SHORT;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
