import { describe, expect, it } from "vitest";
import { loadTestOf, runtimes, runtimesWithRequire, suiteRuns } from "../runtimes/matrix.js";
import { page } from "../support/pages.js";

const HEAD = "| Runtime | ES modules | CommonJS |\n|---|---|---|\n";
const [, afterHead = ""] = page("docs/index.md").text.split(HEAD);
const [table = ""] = afterHead.split("\n\n");

const cells = table.split("\n").flatMap((line) => {
  const [, runtime = "", esModules = "", commonJs = ""] = line.split("|").map((cell) => cell.trim());
  return [
    { runtime, format: "ES modules", cell: esModules },
    { runtime, format: "CommonJS", cell: commonJs },
  ];
});

/** Returns the names of the tests of a runtime in a module format. */
function testsOf({ runtime, format }: { readonly runtime: string; readonly format: string }): string[] {
  const loaded = runtimesWithRequire.filter(({ name }) => name === runtime && format === "CommonJS");
  const runs = suiteRuns.filter((run) => run.runtime.name === runtime && run.format === format);
  return [...loaded.map(loadTestOf), ...runs.map(({ name }) => name)];
}

describe("the table of runtimes", () => {
  it("has a row for exactly the tested runtimes", () => {
    const rows = cells.filter(({ format }) => format === "CommonJS").map(({ runtime }) => runtime);
    expect(rows).toEqual(runtimes.map(({ name }) => name));
  });

  it.each(cells)("names an existing test, or has a dash instead: $runtime, $format", (each) => {
    const tests = testsOf(each);
    expect(tests.length === 0 ? [`${each.runtime} —`] : tests).toContain(`${each.runtime} ${each.cell}`);
  });
});
