import { checkOptions, invalidOption, type OptionNames } from "../../contract/options.js";
import type { Format } from "../format.js";
import { createYangJson } from "./json-format.js";
import { createYangXml } from "./xml-format.js";

/** Names the YANG module that describes what a service takes and gives. */
export interface YangModule {
  /** Its name: qualifies the member at the top in JSON. */
  readonly module: string;
  /** Its namespace: that of every element in XML. */
  readonly namespace: string;
}

const OPTIONS: OptionNames<YangModule> = { module: true, namespace: true };

/**
 * Makes the two formats of data that is modelled with YANG: `application/yang-data+json` (RFC 7951) and
 * `application/yang-data+xml` (RFC 7950). Problems are the errors of RESTCONF (RFC 8040 §7.1). The definitions of the
 * service need a JSON Schema: from it follows which numbers travel as strings.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function createYangFormats(options: YangModule): readonly [json: Format, xml: Format] {
  checkOptions(options, OPTIONS, "createYangFormats");
  const { module, namespace } = options;
  if (typeof module !== "string" || !/^[A-Za-z_][\w.-]*$/.test(module))
    throw invalidOption("module", "an identifier of YANG, such as `order-submission`", module);
  if (typeof namespace !== "string" || namespace === "")
    throw invalidOption("namespace", "a URI, such as `urn:example:orders`", namespace);
  return [createYangJson(module), createYangXml(namespace)];
}

/** The formats of the module `docs/yang/order-submission.yang`, which describes the order submission service. */
export const orderYangFormats: readonly [json: Format, xml: Format] = createYangFormats({
  module: "order-submission",
  namespace: "https://www.npmjs.com/package/async-request-reply#order-submission",
});
