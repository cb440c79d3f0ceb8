import { encodeName } from "./names.js";

/** In what two mappings between values and XML differ. */
export interface XmlWriting {
  /** The attribute of an element that stands for null, with a blank before it; empty for none. */
  readonly nil: string;
  /** What the items of an array are called, where an array is one element with items in it. Else they are elements with its name. */
  readonly item?: string;
}

/** An element that is still to be written. */
export interface XmlNode {
  /** Its name, encoded already. */
  readonly local: string;
  /** What it stands for. */
  readonly value: unknown;
  /** Its attributes, with a blank before each. */
  readonly attributes?: string;
}

/** The elements of one member of an object: one, or one for each item of an array. */
export function memberNodes(name: string, value: unknown, { item }: XmlWriting): XmlNode[] {
  const local = encodeName(name);
  return Array.isArray(value) && item === undefined
    ? value.map((each) => ({ local, value: each }))
    : [{ local, value }];
}

/** Writes elements with all that is in them. What users' code gave can be deep, so that the stack does not grow with it. */
export function writeNodes(nodes: readonly XmlNode[], writing: XmlWriting): string {
  let text = "";
  const pending: (XmlNode | string)[] = nodes.toReversed();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === "string") {
      text += next;
      continue;
    }
    const { local, value, attributes = "" } = next;
    const children = childNodes(next, writing);
    if (children.length > 0) {
      text += `<${local}${attributes}>`;
      pending.push(`</${local}>`);
      for (const child of children.reverse()) pending.push(child);
    } else if (value === null) text += tag(local, "", attributes + writing.nil);
    else text += tag(local, typeof value === "object" ? "" : escapeText(String(value)), attributes);
  }
  return text;
}

/** An element around content that is XML already. */
export function tag(local: string, content: string, attributes = ""): string {
  return content === "" ? `<${local}${attributes}/>` : `<${local}${attributes}>${content}</${local}>`;
}

/**
 * Text that can stand in an element or an attribute. A carriage return is escaped, because a parser would make it a line
 * feed; what XML 1.0 cannot carry at all (§2.2) becomes U+FFFD, so that a reply is always well formed.
 */
export function escapeText(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? "\ufffd");
}

const SPECIAL = /[&<>"'\r]|[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};

function childNodes({ local, value }: XmlNode, writing: XmlWriting): XmlNode[] {
  if (typeof value !== "object" || value === null) return [];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([name, member]) => memberNodes(name, member, writing));
  const { item = local } = writing;
  return value.map((each) => ({ local: item, value: each }));
}
