import { type SaxesAttributeNS, SaxesParser, type XMLDecl } from "saxes";
import { isAsyncReplyError } from "../../contract/errors.js";
import { malformed } from "../malformed.js";

/** The start of an element, with its namespace and those of its attributes. */
export interface XmlTag {
  /** Its name without a prefix. */
  readonly local: string;
  /** Its namespace, empty for none. */
  readonly uri: string;
  /** By name, namespace declarations among them. */
  readonly attributes: Readonly<Record<string, SaxesAttributeNS>>;
}

/** Is told of what a document holds, in its order. Comments are left out. */
export interface XmlEvents {
  open(tag: XmlTag): void;
  /** Text of the element that was opened last and is not closed, CDATA too; a run of text may come in pieces. */
  text(text: string): void;
  close(): void;
  /** A processing instruction, anywhere. */
  instruction(): void;
}

/** No mapping needs more; each costs the parser a look for its namespace. */
const MAX_ATTRIBUTES = 32;

/**
 * Reads a document of XML 1.0 with namespaces and tells what it holds. Refused, where it is met and not at the end: what is
 * not well formed, a document type declaration (so there are no entities but the five of XML), another version or encoding,
 * an element inside of more than `maxDepth` others, and more than 32 attributes at one element.
 *
 * @throws AsyncReplyError `MALFORMED_BODY`
 */
export function readXml(text: string, limits: { readonly maxDepth: number }, events: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let attributes = 0;
  // Without a handler of `error` the parser throws, and nothing that it would guess after an error is seen.
  parser.on("xmldecl", checkDeclaration);
  parser.on("doctype", () => {
    throw malformed("The body has a document type declaration.");
  });
  parser.on("opentagstart", () => {
    // Here and not later: the parser looks for a namespace in every open element.
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
  if (encoding.toLowerCase() !== "utf-8") throw malformed("The body declares another encoding than UTF-8.");
}
