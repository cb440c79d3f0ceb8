import { describe, expect, it } from "vitest";
import { addressOf, pathOutside } from "../../docs/.vitepress/outside-links.js";
import tsconfig from "../../tsconfig.json" with { type: "json" };
import { manifest } from "../support/built.js";
import { page, pages } from "../support/pages.js";

const json = <Content>(path: string): Content => JSON.parse(page(path).text) as Content;

const names = pages
  .filter(({ path }) => path.startsWith("docs/"))
  .map(({ path }) => path.slice("docs/".length));

describe("the site", () => {
  it("lists every page in its sidebar once", () => {
    const sections = json<readonly { readonly pages: readonly string[] }[]>("docs/.vitepress/sections.json");
    const listed = sections.flatMap((section) => section.pages);
    // An entry for a folder covers all of its pages.
    const places = (name: string): string[] =>
      listed.filter((entry) => entry === name || (entry.endsWith("/") && name.startsWith(entry)));
    expect(names.filter((name) => places(name).length !== 1)).toEqual([]);
    // Generated, so it might not exist yet.
    const known = [...names, "reference/index.md"].flatMap(places);
    expect(listed.filter((entry) => !known.includes(entry))).toEqual([]);
  });

  it("links to the README on npm, and to other files in the repository if it is known", () => {
    expect(pathOutside("../postgres.md#x", "decisions/README.md")).toBeUndefined();
    expect(pathOutside("https://example.com", "workers.md")).toBeUndefined();
    expect(pathOutside("#leases", "workers.md")).toBeUndefined();
    const readme = pathOutside("../README.md#states", "workers.md") ?? "";
    expect(addressOf(readme, undefined)).toBe("https://www.npmjs.com/package/async-request-reply#states");
    const example = pathOutside("../../examples/express/server.ts", "decisions/README.md") ?? "";
    expect(addressOf(example, undefined)).toBeUndefined();
    expect(addressOf(example, "owner/name")).toBe(
      "https://github.com/owner/name/blob/main/examples/express/server.ts",
    );
  });

  it("has a group of its reference for every export of the main entry", () => {
    const groups = json<readonly { readonly members: readonly string[] }[]>("docs/reference-groups.json");
    const clauses = [...page("src/index.ts").text.matchAll(/^export (?:type )?\{([^}]+)\}/gm)];
    const exported = clauses.flatMap(([, names = ""]) => names.match(/\b(?!type\b)\w+/g) ?? []);
    expect(exported.length).toBeGreaterThan(50);
    expect(groups.flatMap(({ members }) => members).sort()).toEqual(exported.sort());
  });

  it("documents every subpath of the package in its reference", () => {
    const { entryPoints } = json<{ readonly entryPoints: readonly string[] }>("typedoc.json");
    const { paths } = tsconfig.compilerOptions;
    const subpaths = Object.keys(manifest.exports).map((subpath) => subpath.replace(".", manifest.name));
    expect(Object.keys(paths).sort()).toEqual(subpaths.sort());
    const files = Object.values(paths).map(([file = ""]) => file.slice("./".length));
    expect([...entryPoints].sort()).toEqual(files.sort());
  });
});
