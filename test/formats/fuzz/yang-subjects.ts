import { orderYangFormats } from "async-request-reply/yang";
import { jsonSubject } from "./json-subject.js";
import type { FuzzSubject } from "./subject.js";
import { xmlBrackets, xmlTokens } from "./xml-subject.js";

const [json, xml] = orderYangFormats;
const NAMESPACE = "https://www.npmjs.com/package/async-request-reply#order-submission";

/** Data of the order module, in JSON and XML. */
export const yangSubjects: readonly FuzzSubject[] = [
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
    tokens: [...xmlTokens, `xmlns="${NAMESPACE}"`, `xmlns:o="${NAMESPACE}"`, "<o:order", "</o:order>"],
    brackets: [...xmlBrackets, [`<order xmlns="${NAMESPACE}">`, "</order>"]],
    readsBack: false,
  },
];
