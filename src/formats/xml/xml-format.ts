import { type Format, type SerializeContext, toItems } from "../format.js";
import { JSON_NUMBERS, readTypedText } from "../schema-place.js";
import { encodeName } from "./names.js";
import { createXmlReaders, XSI } from "./to-value.js";
import { writeNodes, type XmlWriting } from "./write-xml.js";

/**
 * XML 1.0 in UTF-8. Documents are read with the JSON Schema of the operation; without a schema, every leaf is a
 * string. `docs/formats.md` describes the mapping between elements and members.
 */
export const xmlFormat: Format = {
  mediaTypes: ["application/xml", "text/xml"],
  problemMediaType: "application/problem+xml",
  describe: (schema, { kind, name }) => ({
    ...schema,
    xml:
      kind === "problem" ? { name: kind, namespace: PROBLEM } : { name: kind === "resource" ? name : kind },
  }),
  // Numbers have the syntax of JSON, so they mean the same in both formats.
  ...createXmlReaders({
    namespace: "",
    nillable: true,
    readText: (text, place) => readTypedText(text, place, JSON_NUMBERS),
  }),
  serialize: (value, { kind, name }) => {
    if (kind === "problem") return writeProblem(value);
    if (kind === "operations") return writeRoot(kind, toItems(value));
    return writeRoot(kind === "operation" ? kind : name, value);
  },
};

const NIL = ' xsi:nil="true"';

function writeRoot(name: SerializeContext["name"], value: unknown): string {
  const root = encodeName(name);
  const text = writeNodes([{ local: root, value }], { nil: NIL });
  // Quotes are escaped everywhere else, so this text is always an attribute.
  if (!text.includes(NIL)) return text;
  return `<${root} xmlns:xsi="${XSI}"${text.slice(root.length + 1)}`;
}

/** Namespace of problems (RFC 9457 appendix B). */
const PROBLEM = "urn:ietf:rfc:7807";

/** Mapping of problems (RFC 9457 appendix B): an array is an element with child elements named `i`. */
const problemWriting: XmlWriting = { nil: "", item: "i" };

function writeProblem(value: unknown): string {
  return writeNodes([{ local: "problem", value, attributes: ` xmlns="${PROBLEM}"` }], problemWriting);
}
