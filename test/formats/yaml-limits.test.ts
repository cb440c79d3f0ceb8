import { describe, expect, it } from "vitest";
import { jsonFormat } from "../../src/formats/json.js";
import { refusalOf } from "../support/refusal.js";
import { readYaml, refusalOfYaml } from "./read-yaml.js";

describe("depth in YAML", () => {
  /** Ways to write `depth` nested objects or arrays. */
  const nested: readonly (readonly [string, (depth: number) => string])[] = [
    ["arrays in brackets", (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`],
    ["arrays in brackets around a value", (depth) => `${"[".repeat(depth)}1${"]".repeat(depth)}`],
    ["objects in braces", (depth) => `${"{a: ".repeat(depth)}1${"}".repeat(depth)}`],
    ["JSON", (depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`],
    ["arrays on one line", (depth) => `${"- ".repeat(depth)}1`],
    ["arrays in blocks", (depth) => inBlocks(depth, () => "-")],
    ["objects in blocks", (depth) => inBlocks(depth, () => "a:")],
    ["objects in blocks with explicit names", (depth) => inBlocks(depth, (indent) => `? a\n${indent}:`)],
    ["pairs in brackets", (depth) => `${"[a: ".repeat(depth / 2)}1${"]".repeat(depth / 2)}`],
    [
      "brackets in blocks",
      (depth) => inBlocks(depth / 2, () => "a:", "[".repeat(depth / 2) + "]".repeat(depth / 2)),
    ],
  ];
  const inBlocks = (depth: number, mark: (indent: string) => string, leaf = "1"): string => {
    const lines = Array.from({ length: depth }, (_, level) => " ".repeat(level) + mark(" ".repeat(level)));
    return `${lines.join("\n")} ${leaf}`;
  };
  const readJson = (value: unknown, maxDepth: number): unknown => {
    const context = { limits: { maxDepth }, name: "orders", schema: undefined };
    return jsonFormat.parse(Buffer.from(JSON.stringify(value)), context);
  };

  it.each(nested)("is limited as in JSON for every notation: %s", (_, write) => {
    for (const bound of [2, 8, 32, 100]) {
      const value = readYaml(write(bound), bound);
      expect(readJson(value, bound)).toEqual(value);
      const tooDeep = `nested more than ${bound - 1} levels deep`;
      expect(refusalOfYaml(write(bound), bound - 1)).toContain(tooDeep);
      expect(refusalOf(() => readJson(value, bound - 1)).detail).toContain(tooDeep);
      expect(refusalOfYaml(write(bound + 40), bound)).toContain(`nested more than ${bound} levels deep`);
    }
  });

  it("is counted, not the number of objects and arrays", () => {
    const text = Array.from({ length: 100 }, () => "- a: []\n").join("");
    expect(readYaml(text, 3)).toHaveLength(100);
    expect(refusalOfYaml(`${text}- a: [[]]`, 3)).toContain("3 levels");
  });

  it("allows no objects and arrays with a limit of 0", () => {
    expect(readYaml("1", 0)).toBe(1);
    for (const text of ["[]", "{}", "- a", "a: b"]) expect(refusalOfYaml(text, 0)).toContain("0 levels");
  });
});

describe("bodies made to be expensive", () => {
  it.each([
    ["100,000 opening brackets", "[".repeat(100_000)],
    ["1,000 bytes of nested names", "? ".repeat(500)],
    ["40,000 bytes of nested names", "? ".repeat(20_000)],
    ["40,000 bytes of nested arrays", "- ".repeat(20_000)],
    ["an array in an object, 50,000 times", '[{"":'.repeat(50_000)],
    ["growing indentation", Array.from({ length: 300 }, (_, n) => `${" ".repeat(n)}a:`).join("\n")],
  ])("are rejected: %s", (_, text) => {
    expect(refusalOfYaml(text)).toContain("is nested more than 32 levels deep");
  });

  it("are rejected if aliases would expand to a billion strings", () => {
    const lines = Array.from({ length: 9 }, (_, n) => `b${n}: &b${n} [${`*b${n - 1}, `.repeat(9)}]`);
    expect(refusalOfYaml(`b: &b-1 ha\n${lines.join("\n")}`)).toContain("an anchor");
  });

  it("are rejected if a merge would be repeated", () => {
    const merges = Array.from({ length: 1000 }, (_, n) => `- &m${n} {<<: [${`*m${n - 1}, `.repeat(20)}]}`);
    expect(refusalOfYaml(`- &m-1 {a: 1}\n${merges.join("\n")}`)).toContain("an anchor");
  });

  it("are rejected as invalid if the limit does not stop them and the stack overflows", () => {
    expect(refusalOfYaml("[".repeat(100_000), 1e9)).toBe("The body is not valid YAML.");
  });

  it("are accepted if they are only large", () => {
    const names = Array.from({ length: 8000 }, (_, n) => `k${n}: ${n}`);
    expect(Object.keys(readYaml(names.join("\n")) as object)).toHaveLength(8000);
    expect(readYaml(`[${"0,".repeat(30_000)}0]`)).toHaveLength(30_001);
    expect(readYaml(`a: "${"\\n".repeat(30_000)}"`)).toEqual({ a: "\n".repeat(30_000) });
    expect(readYaml(`a: ${"0".repeat(60_000)}1`)).toEqual({ a: 1 });
    expect(readYaml(`a: ${"0".repeat(60_000)}x`)).toEqual({ a: `${"0".repeat(60_000)}x` });
    expect(readYaml(`a${"\n".repeat(60_000)}`)).toBe("a");
  });
});
