import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse as parseWithYaml } from "yaml";
import { jsonFormat } from "../../src/formats/json.js";
import { describeCorpus } from "../support/corpora.js";
import { effort } from "../support/effort.js";
import { refusalOf } from "../support/refusal.js";
import { hasRepeatedName, tree, write } from "./json-tree.js";
import { INVALID, readYaml, refusalOfYaml } from "./read-yaml.js";

describe("JSON as YAML (YAML 1.2.2 §1.3)", () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  const asJson = (bytes: Uint8Array): unknown =>
    jsonFormat.parse(bytes, { limits: { maxDepth: 32 }, name: "orders", schema: undefined });

  it("has the same value, and cannot repeat a name either", () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat(5)), (node, style) => {
        const text = write(node, style);
        if (hasRepeatedName(node)) expect(refusalOfYaml(text)).toMatch(INVALID);
        else expect(JSON.stringify(readYaml(text))).toBe(JSON.stringify(asJson(bytesOf(text))));
      }),
      { numRuns: effort(300, 2_000) },
    );
  });

  for (const corpus of ["json-parsing", "json-transform"]) {
    describeCorpus(corpus, (cases) => {
      for (const { name, base64 = "" } of cases) {
        const bytes = Buffer.from(base64, "base64");
        it(`has the same value: ${name}`, () => {
          // Without exception: strict YAML accepts everything that strict JSON accepts.
          if (isTaken(() => asJson(bytes))) expect(readYaml(bytes)).toEqual(asJson(bytes));
        });
      }
    });
  }
});

describeCorpus("yaml", (cases) => {
  for (const { name, verdict, base64 = "", value } of cases) {
    const bytes = Buffer.from(base64, "base64");
    it(`${verdict}: ${name}`, () => {
      if (verdict === "accept") expect(readYaml(bytes)).toEqual(value);
      else if (verdict === "reject") expect(refusalOfYaml(bytes)).not.toBe("");
      // If the specification leaves it open, it can reject the text, but must not read another value than the package yaml.
      else if (isTaken(() => readYaml(bytes)))
        expect(readYaml(bytes)).toEqual(value ?? parseWithYaml(bytes.toString("utf8")));
    });
  }
});

function isTaken(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    expect(refusalOf(run).code).toBe("MALFORMED_BODY");
    return false;
  }
}
