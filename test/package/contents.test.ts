import { describe, expect, it } from "vitest";
import { manifest, root, run } from "../support/built.js";

const allowed = /^(dist\/[\w-]+\.(js|cjs|d\.ts|d\.cts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;

describe("the published package", () => {
  it("contains only allowed files, including every built entry", () => {
    const listing = run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], root);
    const [archive] = JSON.parse(listing) as [{ files: { path: string }[] }];
    const files = archive.files.map(({ path }) => path);
    expect(files.filter((path) => !allowed.test(path))).toEqual([]);
    const entries = Object.values(manifest.exports).flatMap((entry) => [entry.import, entry.require]);
    expect(files).toEqual(expect.arrayContaining(entries.map((entry) => entry.default.slice("./".length))));
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md"]));
  });

  it("depends on zod and uuid only", () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(["uuid", "zod"]);
  });

  it("runs no install script", () => {
    const onInstall = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
    expect(Object.keys(manifest.scripts).filter((name) => onInstall.includes(name))).toEqual([]);
  });
});
