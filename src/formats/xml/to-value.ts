import type { ParseContext } from "../format.js";
import { malformed, wrongRoot } from "../malformed.js";
import { type Place, rootPlace } from "../schema-place.js";
import { decodeName } from "./names.js";
import type { XmlDocument, XmlElement } from "./read-document.js";

/** The namespace of `xsi:nil`. */
export const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const XMLNS = "http://www.w3.org/2000/xmlns/";

/** In what two mappings between XML and values differ. */
export interface XmlReading {
  /** The namespace that every element is in; empty for none. */
  readonly namespace: string;
  /** Whether `xsi:nil="true"` stands for null. */
  readonly nillable: boolean;
  /** Reads an element that holds nothing but text. */
  readText(text: string, place: Place): unknown;
}

/**
 * Reads a document as a value, directed by the JSON Schema: `docs/xml.md` has the rules.
 *
 * @throws AsyncReplyError `CONTRACT_VIOLATION` for another root element, `MALFORMED_BODY` for what has no place in a value
 */
export function toValue(
  { root, hasInstructions }: XmlDocument,
  { name, schema }: Pick<ParseContext, "name" | "schema">,
  reading: XmlReading,
): unknown {
  // What stands in another document is nobody's mistake: its root is told before anything else.
  if (root.uri !== reading.namespace || decodeName(root.local) !== name)
    throw wrongRoot(rootName(name, reading));
  if (hasInstructions) throw malformed("The body has a processing instruction.");
  return elementValue(root, rootPlace(schema), reading);
}

function rootName(name: string, { namespace }: XmlReading): string {
  return `the element ${name} in ${namespace === "" ? "no namespace" : `the namespace ${namespace}`}`;
}

function elementValue(element: XmlElement, place: Place, reading: XmlReading): unknown {
  const { children, text } = element;
  if (element.uri !== reading.namespace)
    throw malformed("The element … is in another namespace than the root should be.", element.local);
  if (isNil(element, reading)) {
    if (children.length === 0 && text === "") return null;
    throw malformed("The element … is nil and has content.", element.local);
  }
  if (children.length === 0) return leafValue(text, place, reading);
  if (!isBlank(text)) throw malformed("The element … holds text beside elements.", element.local);
  const { types } = place;
  const isArray =
    types.has("array") && !types.has("object") && children.every(({ local }) => local === element.local);
  return isArray ? arrayValue(children, place, reading) : objectValue(children, place, reading);
}

function leafValue(text: string, place: Place, reading: XmlReading): unknown {
  const value = reading.readText(text, place);
  if (value !== text || !isBlank(text) || place.takesText(text)) return value;
  if (place.types.has("object")) return objectValue([], place, reading);
  return place.types.has("array") ? [] : value;
}

/** Whether a text is white space in the sense of XML, or empty. */
function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

/** Whether the element stands for null. Every other attribute than the one that says so is refused. */
export function isNil({ local, attributes }: XmlElement, { nillable }: XmlReading): boolean {
  let nil = false;
  for (const attribute of Object.values(attributes)) {
    // A declaration holds no data: what counts is in which namespace something is. White space around one is not a part of
    // it to this parser, and is to others.
    if (attribute.uri === XMLNS && attribute.value === attribute.value.trim()) continue;
    const isKnown = nillable && attribute.uri === XSI && attribute.local === "nil";
    if (!isKnown || !/^(true|false|1|0)$/.test(attribute.value)) {
      throw malformed("The element … has an attribute that means nothing: ….", local, attribute.name);
    }
    nil = attribute.value === "true" || attribute.value === "1";
  }
  return nil;
}

function arrayValue(elements: readonly XmlElement[], place: Place, reading: XmlReading): unknown[] {
  return elements.map((element, index) => elementValue(element, place.item(index), reading));
}

function objectValue(children: readonly XmlElement[], place: Place, reading: XmlReading): object {
  const members = new Map<string, unknown>();
  for (const [name, elements] of byName(children)) {
    members.set(name, memberValue(name, elements, place.member(name), reading));
  }
  // An empty array has no elements: where there must be one, its absence says so.
  for (const name of place.required()) {
    if (!members.has(name) && place.member(name).types.has("array")) members.set(name, []);
  }
  // Not by assignment: `__proto__` is a member like any other.
  return Object.fromEntries(members);
}

export function byName(children: readonly XmlElement[]): Map<string, XmlElement[]> {
  const named = new Map<string, XmlElement[]>();
  for (const child of children) {
    const name = decodeName(child.local);
    const elements = named.get(name);
    if (elements === undefined) named.set(name, [child]);
    else elements.push(child);
  }
  return named;
}

function memberValue(
  name: string,
  elements: readonly XmlElement[],
  place: Place,
  reading: XmlReading,
): unknown {
  const isArray = place.types.has("array");
  if (!isArray && elements.length > 1) throw malformed("The element … is repeated.", name);
  const values = elements.map((element, index) =>
    elementValue(element, isArray ? place.item(index) : place, reading),
  );
  const isNull = values.length === 1 && values[0] === null && place.types.has("null");
  return isArray && !isNull ? values : values[0];
}
