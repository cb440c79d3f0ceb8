import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "prose-"));

/** Runs the linter over one file and returns its findings, without the path. */
function findings(name: string, lines: readonly string[]): string[] {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n"));
  const { stdout, stderr, status } = spawnSync("node", ["test/prose/lint.mjs", path], { encoding: "utf8" });
  expect(stderr).toBe("");
  const found = stdout.split("\n").filter((line) => line.startsWith(path));
  expect(status).toBe(found.length > 0 ? 1 : 0);
  return found.map((line) => line.slice(path.length + 1));
}

it("refuses each kind of sentence that the house style excludes", () => {
  const page = [
    "Whoever sends it waits.\n",
    "It shows the behaviour of a retry.\n",
    "See [workers.md](workers.md).\n",
    "What was answered is committed.\n",
    `The worker ${"waits and ".repeat(25)} ends.\n`,
  ];
  expect(findings("refused.md", page)).toEqual([
    expect.stringMatching(/^1 .*\(phrases\)$/),
    expect.stringMatching(/^3 .*\(spelling\)$/),
    expect.stringMatching(/^5 .*\(link-text\)$/),
    expect.stringMatching(/^7 .*\(opening\)$/),
    expect.stringMatching(/^9 .*\(sentence-length\)$/),
  ]);
});

it("accepts questions, code and links with a text for readers", () => {
  const page = [
    "Where does a worker begin?\n",
    "The state is `cancelled`, and `whoever` is code.\n",
    "Default: none.\n",
    "See [how workers retry](workers.md).\n",
  ];
  expect(findings("accepted.md", page)).toEqual([]);
});

it("reads comments and test names, reports their lines, and leaves other strings alone", () => {
  const program = [
    "/**",
    " * Waits.",
    " * Nobody is woken.",
    " */",
    'const data = "whoever sends this is data";',
    "const pattern = /[\"'`]\\/\\/ nobody/;",
    "// The first line is fine,",
    "// and somebody wrote the second.",
    'it("gives back what nobody took", () => [data, pattern]);',
  ];
  expect(findings("program.ts", program)).toEqual([
    expect.stringMatching(/^3 "Nobody"/),
    expect.stringMatching(/^8 "somebody"/),
    expect.stringMatching(/^9 "gives back"/),
    expect.stringMatching(/^9 "nobody"/),
  ]);
});
