import { canonicalJson } from "../contract/json/canonical-json.js";
import { significantDigits } from "./json.js";

/**
 * Returns the tree of a body as text. Numbers and booleans become text, an array of one item becomes that item, and an
 * empty array is left out.
 *
 * @param name Name of the root, and of the items if the root is an array.
 */
export function treeText(tree: unknown, name: string): string {
  return canonicalJson(withoutTypes(tree, name, false));
}

/**
 * Returns the part of a value or a tree that every format can express, as text. In addition to {@link treeText}, null
 * and an empty object become empty text, and all spellings of a number become one.
 */
export function commonText(value: unknown, name: string): string {
  return canonicalJson(withoutTypes(value, name, true));
}

function withoutTypes(value: unknown, name: string, common: boolean): unknown {
  // An array that is not the value of a member becomes elements named after its parent, as in XML.
  if (Array.isArray(value)) return value.length > 0 ? { [name]: items(value, name, common) } : "";
  if (typeof value !== "object") return common ? oneSpelling(String(value)) : String(value);
  const members = Object.entries(value ?? {}).flatMap(([key, member]) => {
    if (!Array.isArray(member)) return [[key, withoutTypes(member, key, common)]];
    return member.length > 0 ? [[key, items(member, key, common)]] : [];
  });
  // Not by assignment, because `__proto__` is an ordinary member.
  if (members.length > 0) return Object.fromEntries(members);
  return common ? "" : value && {};
}

function items(values: readonly unknown[], name: string, common: boolean): unknown {
  const shown = values.map((value) => withoutTypes(value, name, common));
  return shown.length > 1 ? shown : shown[0];
}

function oneSpelling(text: string): string {
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return text;
  const digits = significantDigits(text.replace(/^[+-]/, ""));
  return text.startsWith("-") && digits !== "0" ? `-${digits}` : digits;
}
