import { invalidOption } from "../../core/options.js";
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

/**
 * Makes the two formats of data that is modelled with YANG: `application/yang-data+json` (RFC 7951) and
 * `application/yang-data+xml` (RFC 7950). Problems are the errors of RESTCONF (RFC 8040 §7.1). The definitions of the
 * service need a JSON Schema: from it follows which numbers travel as strings.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function createYangFormats({ module, namespace }: YangModule): readonly [json: Format, xml: Format] {
  if (!/^[A-Za-z_][\w.-]*$/.test(module)) throw invalidOption("module", "an identifier of YANG", module);
  if (typeof namespace !== "string" || namespace === "") throw invalidOption("namespace", "a URI", namespace);
  return [createYangJson(module), createYangXml(namespace)];
}

/** The formats of the module `docs/yang/order-submission.yang`, which describes the order submission service. */
export const orderYangFormats: readonly [json: Format, xml: Format] = createYangFormats({
  module: "order-submission",
  namespace: "https://www.npmjs.com/package/async-request-reply#order-submission",
});
