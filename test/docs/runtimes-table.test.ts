import { describe, expect, it } from "vitest";
import { runtimes, suiteRuns } from "../runtimes/matrix.js";
import { page } from "./pages.js";

const HEAD = "| Runtime | ES modules | CommonJS |\n|---|---|---|\n";
const [, afterHead = ""] = page("README.md").text.split(HEAD);
const [table = ""] = afterHead.split("\n\n");

const cells = table.split("\n").flatMap((line) => {
  const [, runtime = "", esModules = "", commonJs = ""] = line.split("|").map((cell) => cell.trim());
  return [
    { runtime, format: "ES modules", cell: esModules },
    { runtime, format: "CommonJS", cell: commonJs },
  ];
});

/** The tests of a runtime in a module format. */
function testsOf({ runtime, format }: { readonly runtime: string; readonly format: string }): string[] {
  return suiteRuns
    .filter((run) => run.runtime.name === runtime && run.format === format)
    .map(({ name }) => name);
}

describe("the table of runtimes in the README", () => {
  it("has a row for each runtime that the tests know, and for no other", () => {
    const rows = cells.filter(({ format }) => format === "CommonJS").map(({ runtime }) => runtime);
    expect(rows).toEqual(runtimes.map(({ name }) => name));
  });

  it.each(cells)(
    "names a test that there is, or has a dash where there is none: $runtime, $format",
    (each) => {
      const tests = testsOf(each).map((name) => `“${name}”`);
      expect(tests.length === 0 ? ["—"] : tests).toContain(each.cell);
    },
  );
});
