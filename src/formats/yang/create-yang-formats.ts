import { text } from "../../contract/option-values.js";
import { type OptionTable, readOptions } from "../../contract/options.js";
import type { Format } from "../format.js";
import { createYangJson } from "./json-format.js";
import { createYangXml } from "./xml-format.js";

/** YANG module that describes the requests and replies of a service. */
export interface YangModule {
  /** Name of the module. Qualifies the top-level member in JSON. */
  readonly module: string;
  /** Namespace of the module. Every element in XML is in it. */
  readonly namespace: string;
}

const OPTIONS: OptionTable<YangModule> = {
  module: text(/^[A-Za-z_][\w.-]*$/, "a YANG identifier, such as `order-submission`"),
  namespace: text(/^./s, "a URI, such as `urn:example:orders`"),
};

/**
 * Creates the two formats for data modeled with YANG: `application/yang-data+json` (RFC 7951) and
 * `application/yang-data+xml` (RFC 7950). Problems are written as RESTCONF errors (RFC 8040 §7.1). The definitions of
 * the service need a JSON Schema, which decides which numbers are written as strings.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createYangFormats(options: YangModule): readonly [json: Format, xml: Format] {
  const { module, namespace } = readOptions<YangModule>(options, OPTIONS, "createYangFormats");
  return [createYangJson(module), createYangXml(namespace)];
}

/** Formats of the module `docs/yang/order-submission.yang`, which describes the order submission service. */
export const orderYangFormats: readonly [json: Format, xml: Format] = createYangFormats({
  module: "order-submission",
  namespace: "https://www.npmjs.com/package/async-request-reply#order-submission",
});
