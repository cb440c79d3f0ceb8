import { yamlFormat } from "async-request-reply/yaml";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse as parseWithYaml } from "yaml";
import { describeCorpus } from "../support/corpora.js";
import { effort } from "../support/effort.js";
import { awkwardValue } from "./awkward-values.js";
import { readYaml } from "./read-yaml.js";

function write(value: unknown): string {
  return yamlFormat.serialize(value, { kind: "resource", name: "orders" });
}

/** Compares as JSON, so that the order of members counts and `__proto__` is a member. */
function expectSame(read: unknown, value: unknown): void {
  expect(JSON.stringify(read)).toBe(JSON.stringify(value));
}

describe("YAML output", () => {
  it("uses readable blocks", () => {
    const parts = [
      { name: "a", count: 1 },
      { name: "b: c", count: 1.5 },
    ];
    const value = {
      operationId: "01a1fb0e-5781-7461-97e0-78a248067be3",
      status: "completed",
      result: { parts, none: [], nothing: {}, left: null },
      text: `one line\n${"that is long ".repeat(10)}\n`,
    };
    expect(write(value)).toBe(
      [
        "operationId: 01a1fb0e-5781-7461-97e0-78a248067be3",
        "status: completed",
        "result:",
        "  parts:",
        "    - name: a",
        "      count: 1",
        "    - name: 'b: c'",
        "      count: 1.5",
        "  none: []",
        "  nothing: {}",
        "  left: null",
        "text: |",
        "  one line",
        `  ${"that is long ".repeat(10)}`,
        "",
      ].join("\n"),
    );
  });

  it.each([
    ...["null", "true", "no", "1", "0o7", "0x1F", "1_000", "1:30", "1e3"],
    ...[".inf", "2001-01-01", "<<", "=", ""],
  ])("quotes strings that look like another type, also in YAML 1.1: %j", (text) => {
    expect(write({ [text]: text })).toMatch(/^(['"]).*\1: (['"]).*\2\n$/);
    expect(parseWithYaml(write({ [text]: text }), { version: "1.1" })).toEqual({ [text]: text });
  });

  it.each([
    ...["--- a", "---", "...", "... a", " ...\n", "\n a\n", "  a\nb", "\t\n"],
    ...["1e400", "-1.e400", `0x${"f".repeat(300)}`, "9".repeat(400)],
  ])("keeps values that js-yaml alone would change: %j", (text) => {
    for (const value of [text, [text], { [text]: text }, { a: { [text]: text } }]) {
      expect(readYaml(write(value))).toEqual(value);
      expect(parseWithYaml(write(value))).toEqual(value);
    }
  });

  it("has no anchors if an object occurs twice", () => {
    const part = { a: [1] };
    expect(write([part, part])).toBe("- a:\n    - 1\n- a:\n    - 1\n");
  });

  it("is JSON if blocks would be too deep to read, or too deep for js-yaml's stack", () => {
    const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;
    expect(write(nested(32))).toMatch(/^(?:- ){31}\[\]\n$/);
    for (const depth of [33, 3000]) expect(write(nested(depth))).toBe(JSON.stringify(nested(depth)));
    expectSame(readYaml(write(nested(33)), 33), nested(33));
  });

  it("is JSON if a text is too long for js-yaml's regular expressions", () => {
    const value = { text: "a ".repeat(10_000_000) };
    const text = write(value);
    expect(text === JSON.stringify(value)).toBe(true);
  });

  it("omits what JSON omits", () => {
    expect(write({ a: undefined, b: [undefined] })).toBe("b:\n  - null\n");
  });

  it("is read back as the same value, by strict YAML and by the package yaml", () => {
    fc.assert(
      fc.property(awkwardValue, (value) => {
        const text = write(value);
        expectSame(readYaml(text), value);
        expectSame(parseWithYaml(text), value);
      }),
      { numRuns: effort(500, 3_000) },
    );
  });

  it("is JSON for problems", () => {
    const problem = { type: "about:blank", status: 400, detail: "no: really" };
    expect(yamlFormat.serialize(problem, { kind: "problem", name: "problem" })).toBe(JSON.stringify(problem));
  });
});

describeCorpus("naughty-strings", (cases) => {
  for (const { name, value = "" } of cases) {
    it(`is read back as the same string: ${name}`, () => {
      const order = { itemId: value, [value]: value };
      expect(readYaml(write(order))).toEqual(order);
      expect(readYaml(JSON.stringify(order))).toEqual(order);
      expect(parseWithYaml(write(order))).toEqual(order);
    });
  }
});
