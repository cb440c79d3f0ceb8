import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/built.js";

const folder = join(root, "examples");
const tasks = readdirSync(join(folder, "tasks")).filter((name) => name !== "dist");
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "tasks")
  .map(({ name }) => name);

describe("the examples", () => {
  it("match the rows of examples/README.md", () => {
    const rows = readFileSync(join(folder, "README.md"), "utf8").matchAll(
      /^\| \[[^\]]+\]\((tasks\/[^/)]+|[^/)]+)\/?[^)]*\) \|/gm,
    );
    const expected = [...names, ...tasks.map((name) => `tasks/${name}`)];
    expect([...rows].map(([, name]) => name).sort()).toEqual(expected.sort());
  });

  it.each(names.filter((name) => existsSync(join(folder, name, "server.ts"))))(
    "have at most 60 lines of code in server.ts: %s",
    (name) => {
      expect(linesOfCode(join(folder, name, "server.ts"))).toBeLessThanOrEqual(60);
    },
  );

  it.each(tasks)("have at most 25 lines of code per task: %s", (name) => {
    const lines = filesOf(join(folder, "tasks", name)).map(linesOfCode);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(25);
  });

  it.each(tasks)("import only packages and files of the same task: %s", (name) => {
    const own = name.endsWith(".ts") ? /^[^.]/ : /^[^.]|^\.\/[\w-]+\.js$/;
    const imports = filesOf(join(folder, "tasks", name)).flatMap(importsOf);
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((path) => !own.test(path))).toEqual([]);
  });
});

/** Counts lines without blank lines and comments. Imports count. */
function linesOfCode(file: string): number {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line)).length;
}

function filesOf(path: string): string[] {
  return statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
}

function importsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/ from "([^"]+)"/g)].map(([, path = ""]) => path);
}
