import { encodeName } from "./names.js";

/** Differences between mappings from values to XML. */
export interface XmlWriting {
  /** Attribute of an element that means null, after a blank, or empty text. */
  readonly nil: string;
  /**
   * Name of the items, if an array is one element that contains its items. By default, an array is one element per
   * item, each with the name of the member.
   */
  readonly item?: string;
}

/** An element to be written. */
export interface XmlNode {
  /** Encoded name. */
  readonly local: string;
  /** Value of the element. */
  readonly value: unknown;
  /** Attributes, each after a blank. */
  readonly attributes?: string;
}

/** Returns the elements of a member: one element, or one per item of an array. */
export function memberNodes(name: string, value: unknown, { item }: XmlWriting): XmlNode[] {
  const local = encodeName(name);
  return Array.isArray(value) && item === undefined
    ? value.map((each) => ({ local, value: each }))
    : [{ local, value }];
}

/** Writes elements with their content. The stack stays constant, because users' values can be nested deeply. */
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

/** Returns an element around content that is already XML. */
export function tag(local: string, content: string, attributes = ""): string {
  return content === "" ? `<${local}${attributes}/>` : `<${local}${attributes}>${content}</${local}>`;
}

/**
 * Returns text for an element or an attribute. A carriage return is escaped, because a parser would turn it into a
 * line feed. Characters that XML 1.0 cannot represent (§2.2) become U+FFFD, so that a reply is always well formed.
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
