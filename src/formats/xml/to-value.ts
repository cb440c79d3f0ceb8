import type { Format, ParseContext } from "../format.js";
import { decodeUtf8, malformed, wrongRoot } from "../malformed.js";
import { type Place, rootPlace } from "../schema-place.js";
import { decodeName } from "./names.js";
import { readDocument, type XmlDocument, type XmlElement } from "./read-document.js";

/** Namespace of `xsi:nil`. */
export const XSI = "http://www.w3.org/2001/XMLSchema-instance";
const XMLNS = "http://www.w3.org/2000/xmlns/";

/** Differences between mappings from XML to values. */
export interface XmlReading {
  /** Namespace of every element, or empty text. */
  readonly namespace: string;
  /** Whether `xsi:nil="true"` means null. */
  readonly nillable: boolean;
  /** Reads an element that contains only text. */
  readText(text: string, place: Place): unknown;
}

/** Creates the methods of a format that read documents with this mapping, using the JSON Schema. See `docs/formats.md`. */
export function createXmlReaders(reading: XmlReading): Required<Pick<Format, "parse" | "parseWithTree">> {
  return {
    parse: (bytes, context) => toValue(readDocument(decodeUtf8(bytes), context.limits), context, reading),
    parseWithTree: (bytes, context) => {
      const document = readDocument(decodeUtf8(bytes), context.limits);
      return { value: toValue(document, context, reading), tree: toTree(document.root, reading) };
    },
  };
}

function toValue(
  { root, hasInstructions }: XmlDocument,
  { name, schema }: ParseContext,
  reading: XmlReading,
): unknown {
  // The root comes first: with another root, this is a different kind of document, and its content does not matter.
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
    throw malformed("The element … is in the wrong namespace.", element.local);
  if (isNil(element, reading)) {
    if (children.length === 0 && text === "") return null;
    throw malformed("The element … is nil but has content.", element.local);
  }
  if (children.length === 0) return leafValue(text, place, reading);
  if (!isBlank(text)) throw malformed("The element … mixes text and elements.", element.local);
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

/** Returns whether a text is empty or XML white space. */
function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}

/** Returns whether the element means null. Refuses every attribute except the one that says so. */
function isNil({ local, attributes }: XmlElement, { nillable }: XmlReading): boolean {
  let nil = false;
  for (const attribute of Object.values(attributes)) {
    // A namespace declaration contains no data. This parser trims white space around its value, but others do not, so
    // white space is refused.
    if (attribute.uri === XMLNS && attribute.value === attribute.value.trim()) continue;
    const isKnown = nillable && attribute.uri === XSI && attribute.local === "nil";
    if (!isKnown || !/^(true|false|1|0)$/.test(attribute.value)) {
      throw malformed("The element … has the unknown attribute ….", local, attribute.name);
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
  // An empty array has no elements, so a required array that is absent is empty.
  for (const name of place.required()) {
    if (!members.has(name) && place.member(name).types.has("array")) members.set(name, []);
  }
  // Not by assignment, because `__proto__` is an ordinary member.
  return Object.fromEntries(members);
}

function byName(children: readonly XmlElement[]): Map<string, XmlElement[]> {
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

function toTree(element: XmlElement, reading: XmlReading): unknown {
  const { children, text } = element;
  if (isNil(element, reading)) return null;
  if (children.length === 0) return text;
  return Object.fromEntries(
    [...byName(children)].map(([name, elements]) => [name, elements.map((each) => toTree(each, reading))]),
  );
}
