import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../package/built.js";

const folder = join(root, "examples");
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

describe("the examples", () => {
  it("have each one line in examples/README.md, and nothing else has", () => {
    const rows = readFileSync(join(folder, "README.md"), "utf8").matchAll(/^\| \[([^\]]+)\]\(\1\/\S+\) \|/gm);
    expect([...rows].map(([, name]) => name).sort()).toEqual(names);
  });

  it.each(names.filter((name) => existsSync(join(folder, name, "server.ts"))))(
    "are short, at most 60 lines of code in server.ts: %s",
    (name) => {
      const lines = readFileSync(join(folder, name, "server.ts"), "utf8").split("\n");
      const code = lines.filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
      expect(code.length).toBeLessThanOrEqual(60);
    },
  );
});
