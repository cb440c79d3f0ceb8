import type { Format, SerializeContext } from "../format.js";
import { toItems } from "../operation-list.js";
import { JSON_NUMBERS, readTypedText } from "../typed-text.js";
import { decodeUtf8 } from "../utf8.js";
import { encodeName } from "./names.js";
import { readDocument } from "./read-document.js";
import { toParsedBody } from "./to-tree.js";
import { toValue, type XmlReading, XSI } from "./to-value.js";
import { writeNodes, type XmlWriting } from "./write-xml.js";

/**
 * XML 1.0 in UTF-8. A document is read by the JSON Schema of the operation; without one every leaf is a string. The mapping
 * between elements and members is written down in `docs/xml.md`.
 */
export const xmlFormat: Format = {
  mediaTypes: ["application/xml", "text/xml"],
  problemMediaType: "application/problem+xml",
  describe: (schema, { kind, name }) => ({
    ...schema,
    xml:
      kind === "problem" ? { name: kind, namespace: PROBLEM } : { name: kind === "resource" ? name : kind },
  }),
  parse: (bytes, { limits, name, schema }) =>
    toValue(readDocument(decodeUtf8(bytes), limits), { name, schema }, reading),
  parseWithTree: (bytes, { limits, name, schema }) =>
    toParsedBody(readDocument(decodeUtf8(bytes), limits), { name, schema }, reading),
  serialize: (value, { kind, name }) => {
    if (kind === "problem") return writeProblem(value);
    if (kind === "operations") return writeRoot(kind, toItems(value));
    return writeRoot(kind === "operation" ? kind : name, value);
  },
};

// The numbers are those of JSON, so that the two formats mean the same by a number.
const reading: XmlReading = {
  namespace: "",
  nillable: true,
  readText: (text, place) => readTypedText(text, place, JSON_NUMBERS),
};

const NIL = ' xsi:nil="true"';

function writeRoot(name: SerializeContext["name"], value: unknown): string {
  const root = encodeName(name);
  const text = writeNodes([{ local: root, value }], { nil: NIL });
  // Quotes are escaped everywhere else, so that this is found only where it stands as an attribute.
  if (!text.includes(NIL)) return text;
  return `<${root} xmlns:xsi="${XSI}"${text.slice(root.length + 1)}`;
}

/** The namespace of problems (RFC 9457 appendix B). */
const PROBLEM = "urn:ietf:rfc:7807";

/** A problem as RFC 9457 appendix B writes it: an array is an element that holds elements named `i`. */
const problemWriting: XmlWriting = { nil: "", item: "i" };

function writeProblem(value: unknown): string {
  return writeNodes([{ local: "problem", value, attributes: ` xmlns="${PROBLEM}"` }], problemWriting);
}
