import { readXml, type XmlTag } from "./read-events.js";

/** An element with its content. */
export interface XmlElement extends XmlTag {
  readonly children: readonly XmlElement[];
  /** All text directly in the element, in one piece. */
  readonly text: string;
}

/** A document without its comments. */
export interface XmlDocument {
  readonly root: XmlElement;
  /** Whether the document has a processing instruction anywhere. */
  readonly hasInstructions: boolean;
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

/**
 * Reads a document as a tree of elements. Refuses what {@link readXml} refuses.
 *
 * Throws `MALFORMED_BODY`.
 */
export function readDocument(text: string, limits: { readonly maxDepth: number }): XmlDocument {
  const top = toElement({ local: "", uri: "", attributes: {} });
  const open = [top];
  const current = (): OpenElement => open.at(-1) ?? top;
  let hasInstructions = false;
  readXml(text, limits, {
    open: (tag) => {
      const element = toElement(tag);
      current().children.push(element);
      open.push(element);
    },
    text: (piece) => {
      current().text += piece;
    },
    close: () => {
      open.pop();
    },
    instruction: () => {
      hasInstructions = true;
    },
  });
  // A well-formed document has one root.
  const [root = top] = top.children;
  return { root, hasInstructions };
}

function toElement({ local, uri, attributes }: XmlTag): OpenElement {
  return { local, uri, attributes, children: [], text: "" };
}
