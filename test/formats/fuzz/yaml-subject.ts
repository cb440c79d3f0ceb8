import { yamlFormat } from "async-request-reply/yaml";
import { type DumpOptions, dump } from "js-yaml";
import type { Choices } from "../../../src/testing/simulator/choices.js";
import type { FuzzSubject } from "./subject.js";
import { pick } from "./values.js";

export const yamlSubject: FuzzSubject = {
  name: "YAML",
  format: yamlFormat,
  write: (value, choices) => pick(choices, headings) + pick(choices, writers)(value, choices),
  tokens: [
    ..."[]{}#|>'\"\\=@`~\t\r\0\x01\u0085\u2028\ufeff\u00e9",
    ...["\n", "\n ", "\n  ", "\n    ", "\r\n", "- ", "? ", ": ", ", ", " # c\n", "😀"],
    ...["|+\n", ">-\n", "|2\n"],
    ...["a: 1\n", "a:\n", "- a\n", "? a\n: b\n", "'a': b", '"a":', "{a: b}", "[a: b]", "itemId: a\n"],
    ...["&a ", "*a", "!!str ", "!!int ", "!a ", "!<a> ", "! ", "<<: {a: 1}\n", "__proto__: {a: 1}\n"],
    ...["%YAML 1.2\n---\n", "%TAG ! a\n", "\n---\n", "\n...\n"],
    ..."null yes 1_000 0x1F 0o7 +1 1. .5 .inf .nan 1e400 9007199254740993".split(" "),
    ...["\\ud800", "\\ud83d\\ude00", "\\U00110000", "\\x41", "\\N", "\\\n"],
  ],
  brackets: [
    ["[", "]"],
    ["{a: ", "}"],
    ["[a: ", "]"],
    ["- ", ""],
    ["? ", ""],
    ["- a:\n  ", ""],
    ["&a [", ", *a]"],
    ["!!seq [", "]"],
  ],
  readsBack: true,
};

const headings = ["", "", "", "---\n", "# a comment\n", "%YAML 1.2\n---\n"];

const styles: readonly DumpOptions[] = [
  {},
  { flowLevel: 0 },
  { flowLevel: 1, flowSkipColonSpace: true, quoteFlowKeys: true },
  { indent: 4, lineWidth: 20 },
  { indent: 1, seqNoIndent: true, lineWidth: -1 },
  { forceQuotes: true, quoteStyle: "double" },
  { forceQuotes: true, quoteStyle: "single", seqInlineFirst: false },
];

const writers: readonly ((value: unknown, choices: Choices) => string)[] = [
  (value) => yamlFormat.serialize(value, { kind: "resource", name: "orders" }),
  (value, choices) => dump(value, pick(choices, styles)),
  (value, choices) => JSON.stringify(value, null, choices.choose(3)),
];
