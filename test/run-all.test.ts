import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Says what `npm run test:all` would run, with these arguments. */
function listed(...names: string[]): { readonly status: number | null; readonly output: string } {
  const args = [join(root, "test/run-all.mjs"), "--list", ...names];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe("npm run test:all", () => {
  it("runs every tier of package.json, or says what it lacks", () => {
    const tiers = Object.keys(scripts).filter(
      (name) => /^(check|test(:.+)?)$/.test(name) && name !== "test:all",
    );
    const { status, output } = listed();
    expect(status).toBe(0);
    const lines = output.trim().split("\n");
    expect(lines.map((line) => /^(?:runs|skipped) ([a-z]+(:[a-z]+)?)/.exec(line)?.[1]).sort()).toEqual(
      [...tiers, "docs"].sort(),
    );
    expect(lines.filter((line) => /^skipped \S+$/.test(line))).toEqual([]);
  });

  it("knows every folder and every tier of the strict pipeline", () => {
    const [pipeline, program] = [read(".ci/run"), read("test/run-all.mjs")];
    const [, folders = ""] = /install_packages (test\/.*(?:\n {2}.*)*)/.exec(pipeline) ?? [];
    const tiers = [...pipeline.matchAll(/^run_tests (\S+)/gm)].map(([, tier = ""]) => tier);
    const names = [...folders.split(/[\s\\]+/), ...tiers];
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !program.includes(name))).toEqual([]);
  });

  it("runs only the tiers that are named, and refuses an unknown one", () => {
    expect(listed("test").output.trim()).toMatch(/^(runs|skipped) test\b.*$/);
    const refused = listed("tests");
    expect(refused.status).toBe(1);
    expect(refused.output).toContain('Unknown tier "tests". Known: check, test,');
  });
});
