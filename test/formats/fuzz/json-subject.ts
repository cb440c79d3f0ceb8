import { jsonFormat } from "../../../src/formats/json.js";
import type { FuzzSubject } from "./subject.js";
import { pick } from "./values.js";

export const jsonSubject: FuzzSubject = {
  name: "JSON",
  format: jsonFormat,
  write: (value, choices) => JSON.stringify(value, null, pick(choices, [0, 0, 1, "\t"])),
  tokens: [
    ...'{}[],:/-"\\ \n\t\r\0\ufeff\u00e9',
    ..."null true false nul NaN -0 0 00 1. .5 +1 1e 1e400 1e-400 9007199254740993 1.000000000000000005".split(
      " ",
    ),
    ...["1".repeat(400), "😀", "//", "/**/", "\\u", "\\x", "\\ud800", "\\ud83d\\ude00", "\\u0000"],
    ...['"a":1,', '"a":{"a":1},', '"\\u0061":2,', '"__proto__":{"a":1},', '"itemId":"a",'],
  ],
  brackets: [
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"a":', "}]"],
    ["[0,", ",0]"],
  ],
  readsBack: true,
};
