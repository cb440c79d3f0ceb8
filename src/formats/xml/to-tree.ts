import type { ParseContext, ParsedBody } from "../format.js";
import type { XmlDocument, XmlElement } from "./read-document.js";
import { byName, isNil, toValue, type XmlReading } from "./to-value.js";

/**
 * Returns a document as a value, as {@link toValue} does, and as a tree that does not depend on the schema.
 *
 * Throws the same errors as `toValue`.
 */
export function toParsedBody(
  document: XmlDocument,
  context: Pick<ParseContext, "name" | "schema">,
  reading: XmlReading,
): ParsedBody {
  return { value: toValue(document, context, reading), tree: toTree(document.root, reading) };
}

function toTree(element: XmlElement, reading: XmlReading): unknown {
  const { children, text } = element;
  if (isNil(element, reading)) return null;
  if (children.length === 0) return text;
  return Object.fromEntries(
    [...byName(children)].map(([name, elements]) => [name, elements.map((each) => toTree(each, reading))]),
  );
}
