import type { Format, SerializeContext } from "../format.js";
import { type NumberSyntax, readTypedText } from "../typed-text.js";
import { decodeUtf8 } from "../utf8.js";
import { encodeName } from "./names.js";
import { readDocument } from "./read-document.js";
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
      kind === "problem" ? { name: kind, namespace: PROBLEM } : { name: kind === "operation" ? kind : name },
  }),
  parse: (bytes, { limits, name, schema }) =>
    toValue(readDocument(decodeUtf8(bytes), limits), { name, schema }, reading),
  serialize: (value, { kind, name }) =>
    kind === "problem" ? writeProblem(value) : writeRoot(kind === "operation" ? kind : name, value),
};

// The grammar of JSON (RFC 8259 §6), so that the two formats mean the same by a number.
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const jsonNumbers: NumberSyntax = { integer: NUMBER, number: NUMBER, toJson: (text) => text };

const reading: XmlReading = {
  namespace: "",
  nillable: true,
  readText: (text, place) => readTypedText(text, place, jsonNumbers),
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
