import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, root } from "../support/built.js";

const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), "utf8"),
}));

describe("the workflows", () => {
  it.each(workflows)("pin every action to a commit, because tags can move: $name", ({ text }) => {
    const uses = [...text.matchAll(/uses: (\S+)(.*)/g)].map(([, action = "", rest = ""]) => ({
      action,
      rest,
    }));
    expect(uses.length).toBeGreaterThan(0);
    for (const { action, rest } of uses) {
      expect(action).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/);
      expect(rest).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
  });

  it.each(workflows)("may only read, except for jobs that declare more: $name", ({ text }) => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m);
  });

  it("publish after all checks and may prove where, unless the last night was red", () => {
    const release = workflows.find(({ name }) => name === "release.yml")?.text ?? "";
    expect(release).toContain("id-token: write");
    // With this option, npm would read another file than the one with the token.
    expect(release).not.toMatch(/^ *registry-url:/m);
    const steps = [
      "--workflow night.yml",
      "run: npm ci",
      "npm test",
      "npm run check",
      "npm audit",
      "changesets/action",
    ];
    const places = steps.map((step) => release.indexOf(step));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    const scripts = [...release.matchAll(/npm run (release:\S+)/g)].map(([, script = ""]) => script);
    expect(scripts).toEqual(["release:version", "release:publish"]);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  });
});

describe("the changelog", () => {
  it("begins with the version of the package", () => {
    const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
    expect(changelog.match(/^## (\S+)$/m)?.[1]).toBe(manifest.version);
  });
});
