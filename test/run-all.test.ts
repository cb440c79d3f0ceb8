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

const pipeline = read(".ci/run");
/** Scripts that the pipeline runs. */
const lanes = [...pipeline.matchAll(/^(?:computing|waiting)=\(([^)]*)\)/gm)].flatMap(([, names = ""]) =>
  names.trim().split(/\s+/),
);

describe("the pipeline", () => {
  it("runs every part of `npm run check`", () => {
    const parts = [...(scripts.check ?? "").matchAll(/(?<=npm run )\S+/g)].map(([name]) => name);
    expect(parts.length).toBeGreaterThan(4);
    // The build comes first, because everything else needs it.
    expect(parts.filter((name) => !lanes.includes(name))).toEqual(["build"]);
    expect(pipeline).toMatch(/^ {2}npm run --silent build && /m);
  });
});

describe("npm run test:all", () => {
  it("runs every script of package.json, or says what it lacks", () => {
    const all = Object.keys(scripts).filter(
      (name) =>
        /^(check|docs:build|rehearse|test(:.+)?)$/.test(name) && !["test:all", "test:night"].includes(name),
    );
    const { status, output } = listed();
    expect(status).toBe(0);
    const lines = output.trim().split("\n");
    expect(lines.map((line) => /^(?:runs|skipped) ([a-z]+(:[a-z]+)?)/.exec(line)?.[1]).sort()).toEqual(
      all.sort(),
    );
    expect(lines.filter((line) => /^skipped \S+$/.test(line))).toEqual([]);
  });

  it("knows every folder and every script of tests of the pipeline", () => {
    const program = read("test/run-all.mjs");
    const [, folders = ""] = /install_and_build (test\/.*(?:\n {2}.*)*)/.exec(pipeline) ?? [];
    const names = [...folders.split(/[\s\\]+/), ...lanes.filter((name) => name.startsWith("test"))];
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !program.includes(name))).toEqual([]);
  });

  it("runs only the scripts that are named, and refuses an unknown one", () => {
    expect(listed("test").output.trim()).toMatch(/^(runs|skipped) test\b.*$/);
    const refused = listed("tests");
    expect(refused.status).toBe(1);
    expect(refused.output).toContain('Unknown script "tests". Known: check, test,');
  });
});
