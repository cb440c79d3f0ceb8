import { orderYangFormats } from "async-request-reply/yang";
import { jsonSubject } from "./json-subject.js";
import type { FuzzSubject } from "./subject.js";
import { xmlSubject } from "./xml-subject.js";
import { yamlSubject } from "./yaml-subject.js";

const [json, xml] = orderYangFormats;
const NAMESPACE = "https://www.npmjs.com/package/async-request-reply#order-submission";

const namespaced = [`xmlns="${NAMESPACE}"`, `xmlns:o="${NAMESPACE}"`, "<o:order", "</o:order>"];

/** All fuzzed formats, the last two with data of the order module. */
export const subjects: readonly FuzzSubject[] = [
  jsonSubject,
  yamlSubject,
  xmlSubject,
  {
    name: "YANG data in JSON",
    format: json,
    write: (value) => json.serialize(value, { kind: "resource", name: "order" }),
    tokens: [...jsonSubject.tokens, '"order-submission:order":', '"order-submission:', '"2"', "[null]"],
    brackets: [...jsonSubject.brackets, ['{"order-submission:order":', "}"]],
    readsBack: false,
  },
  {
    name: "YANG data in XML",
    format: xml,
    write: (value) => xml.serialize(value, { kind: "resource", name: "order" }),
    tokens: [...xmlSubject.tokens, ...namespaced],
    brackets: [...xmlSubject.brackets, [`<order xmlns="${NAMESPACE}">`, "</order>"]],
    readsBack: false,
  },
];
