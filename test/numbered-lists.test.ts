import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, root } from "./support/pages.js";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The rows of test/README.md: a number, and the files of its tests. */
const rows = [...read("test/README.md").matchAll(/^\| ([FS]?\d+) \|.*\| ([^|]+) \|$/gm)].map(
  ([, number = "", cell = ""]) => ({
    number,
    files: [...cell.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
  }),
);

/** Finds numbers in test names: faults in parentheses, security risks and failures before a colon. */
function numbersIn(source: string): string[] {
  const faults = source.matchAll(/\((F\d+)\)/g);
  const risks = source.matchAll(/["`](S\d+): /g);
  const failures = source.matchAll(/["`]failures? ([\d, and]+): /g);
  return [
    ...[...faults, ...risks].map(([, number = ""]) => number),
    ...[...failures].flatMap(([, list = ""]) => list.match(/\d+/g) ?? []),
  ];
}

describe("test/README.md", () => {
  it("has each number once", () => {
    const numbers = rows.map(({ number }) => number);
    expect(numbers.length).toBeGreaterThan(80);
    expect(numbers.filter((number, index) => numbers.indexOf(number) < index)).toEqual([]);
  });

  it("cites only files that exist", () => {
    expect(rows.filter(({ files }) => files.length === 0)).toEqual([]);
    expect(rows.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("cites every file whose test names contain a number", () => {
    const cited = new Map(rows.map(({ number, files }) => [number, files]));
    const sources = filesIn("test").filter((file) => /\.(test|torture)\.ts$/.test(file));
    const missing = sources.flatMap((file) =>
      numbersIn(read(file))
        .filter((number) => cited.get(number)?.includes(file) !== true)
        .map((number) => `${number}: ${file}`),
    );
    expect(missing).toEqual([]);
  });
});
