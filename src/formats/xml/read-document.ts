import { type SaxesAttributeNS, SaxesParser, type XMLDecl } from "saxes";
import { isAsyncReplyError } from "../../contract/errors.js";
import { malformed } from "../malformed.js";

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

/** Start of an element, with its namespace and those of its attributes. */
interface XmlTag {
  /** Name without a prefix. */
  readonly local: string;
  /** Namespace, or empty text. */
  readonly uri: string;
  /** Attributes by name, including namespace declarations. */
  readonly attributes: Readonly<Record<string, SaxesAttributeNS>>;
}

/** Receives the parts of a document in order, without comments. */
export interface XmlEvents {
  open(tag: XmlTag): void;
  /** Text or CDATA of the innermost open element. A run of text may arrive in pieces. */
  text(text: string): void;
  close(): void;
  /** A processing instruction anywhere in the document. */
  instruction(): void;
}

/** No mapping needs more, and for each attribute the parser has to look up a namespace. */
const MAX_ATTRIBUTES = 32;

/**
 * Reads an XML 1.0 document with namespaces and reports its parts. Stops at the first of these, and refuses the
 * document:
 *
 * - text that is not well formed
 * - a document type declaration, so the only entities are the five of XML
 * - another version or encoding
 * - an element inside more than `maxDepth` others
 * - more than 32 attributes on one element
 *
 * Throws `MALFORMED_BODY`.
 */
export function readXml(text: string, limits: { readonly maxDepth: number }, events: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let attributes = 0;
  // Without an `error` handler the parser throws, so nothing that it guesses after an error is used.
  parser.on("xmldecl", checkDeclaration);
  parser.on("doctype", () => {
    throw malformed("The body has a document type declaration.");
  });
  parser.on("opentagstart", () => {
    // Checked here and not later, because the parser searches every open element for a namespace.
    if (depth > limits.maxDepth)
      throw malformed(`The body is nested more than ${limits.maxDepth} levels deep.`);
    attributes = 0;
  });
  parser.on("attribute", () => {
    if (++attributes > MAX_ATTRIBUTES)
      throw malformed(`An element has more than ${MAX_ATTRIBUTES} attributes.`);
  });
  parser.on("opentag", (tag) => {
    depth++;
    events.open(tag);
  });
  parser.on("closetag", () => {
    depth--;
    events.close();
  });
  const onText = (piece: string): void => {
    if (depth > 0) events.text(piece);
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("processinginstruction", () => events.instruction());
  try {
    parser.write(text).close();
  } catch (error) {
    if (isAsyncReplyError(error)) throw error;
    throw malformed(`The body is not well-formed XML (line ${parser.line}, column ${parser.column}).`);
  }
}

function checkDeclaration({ version, encoding = "utf-8" }: XMLDecl): void {
  if (version !== "1.0") throw malformed("The body is not XML 1.0.");
  if (encoding.toLowerCase() !== "utf-8") throw malformed("The body declares an encoding other than UTF-8.");
}
