import { type Format, toItems } from "../format.js";
import { isObject } from "../json-schema.js";
import { readTypedText, rootPlace } from "../schema-place.js";
import { encodeName } from "../xml/names.js";
import { createXmlReaders } from "../xml/to-value.js";
import { escapeText, memberNodes, tag, writeNodes, type XmlWriting } from "../xml/write-xml.js";
import { type PathStep, type RestconfError, restconfErrors } from "./restconf-errors.js";
import { toYang, yangNumbers } from "./values.js";

/** Creates the format for data of the module with this namespace in XML (RFC 7950). */
export function createYangXml(namespace: string): Format {
  const inModule = xmlns(namespace);
  return {
    mediaTypes: ["application/yang-data+xml"],
    problemMediaType: "application/yang-data+xml",
    needsSchema: true,
    describe: (_, { kind }) => ({
      description:
        kind === "problem"
          ? "RESTCONF errors (RFC 8040 §7.1) in XML."
          : `Data of the YANG module with the namespace ${namespace} in XML (RFC 7950).`,
    }),
    ...createXmlReaders({
      namespace,
      nillable: false,
      // A leaf of the type `empty` is an element without content (RFC 7950 §9.11.2).
      readText: (text, place) =>
        text === "" && place.types.has("null") && !place.takesText(text)
          ? null
          : readTypedText(text, place, yangNumbers),
    }),
    serialize: (value, { kind, ...context }) => {
      if (kind === "operation") return tag(kind, operationMembers(value), inModule);
      if (kind === "operations") return tag(kind, operationMembers(toItems(value)), inModule);
      if (kind === "problem") return writeErrors(restconfErrors(value, context), namespace);
      const data = toYang(value, rootPlace(context.schema), null);
      return writeNodes([{ local: encodeName(context.name), value: data, attributes: inModule }], writing);
    },
  };
}

const writing: XmlWriting = { nil: "" };

/** Members of an operation with values from users' code. They are `anyxml`, which is one element for any value. */
const ANYXML: readonly string[] = ["progress", "result"];

function operationMembers(operation: unknown): string {
  const members = isObject(operation) ? Object.entries(operation) : [];
  const nodes = members.flatMap(([name, value]) =>
    ANYXML.includes(name) ? [{ local: name, value }] : memberNodes(name, value, writing),
  );
  return writeNodes(nodes, writing);
}

function writeErrors(errors: readonly RestconfError[], namespace: string): string {
  const content = errors.map((error) => tag("error", errorMembers(error, namespace))).join("");
  return tag("errors", content, xmlns("urn:ietf:params:xml:ns:yang:ietf-restconf"));
}

function errorMembers(
  { type, tag: errorTag, appTag, path, message }: RestconfError,
  namespace: string,
): string {
  return [
    tag("error-type", type),
    tag("error-tag", errorTag),
    tag("error-app-tag", escapeText(appTag)),
    ...(path === undefined ? [] : [tag("error-path", path.map(pathStep).join(""), xmlns(namespace, PREFIX))]),
    tag("error-message", escapeText(message)),
  ].join("");
}

const PREFIX = "m";

/** Returns a step of a path. In XML every name has the prefix of its namespace (RFC 7950 §9.13.2). */
function pathStep({ name, position }: PathStep): string {
  return `/${PREFIX}:${name}${position === undefined ? "" : `[${position}]`}`;
}

function xmlns(namespace: string, prefix?: string): string {
  return ` xmlns${prefix === undefined ? "" : `:${prefix}`}="${escapeText(namespace)}"`;
}
