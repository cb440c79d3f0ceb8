import { describe, expect, it } from "vitest";
import { addressOf, pathOutside } from "../../docs/.vitepress/outside-links.js";
import tsconfig from "../../tsconfig.json" with { type: "json" };
import { page, pages } from "../support/pages.js";

const names = pages
  .filter(({ path }) => path.startsWith("docs/"))
  .map(({ path }) => path.slice("docs/".length));

describe("the site", () => {
  it("lists every page in its sidebar once", () => {
    const sections = JSON.parse(page("docs/.vitepress/sections.json").text) as readonly {
      readonly pages: readonly string[];
    }[];
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
    expect(pathOutside("https://example.com", "faq.md")).toBeUndefined();
    expect(pathOutside("#leases", "workers.md")).toBeUndefined();
    const readme = pathOutside("../README.md#states", "faq.md") ?? "";
    expect(addressOf(readme, undefined)).toBe("https://www.npmjs.com/package/async-request-reply#states");
    const example = pathOutside("../../examples/express/server.ts", "decisions/README.md") ?? "";
    expect(addressOf(example, undefined)).toBeUndefined();
    expect(addressOf(example, "owner/name")).toBe(
      "https://github.com/owner/name/blob/main/examples/express/server.ts",
    );
  });

  it("has a group of its reference for every export of the main entry", () => {
    const groups = JSON.parse(page("docs/reference-groups.json").text) as readonly {
      readonly members: readonly string[];
    }[];
    const clauses = [...page("src/index.ts").text.matchAll(/^export (?:type )?\{([^}]+)\}/gm)];
    const exported = clauses.flatMap(([, names = ""]) => names.match(/\b(?!type\b)\w+/g) ?? []);
    expect(exported.length).toBeGreaterThan(50);
    expect(groups.flatMap(({ members }) => members).sort()).toEqual(exported.sort());
  });

  it("documents every subpath of the package in its reference", () => {
    const { entryPoints } = JSON.parse(page("typedoc.json").text) as {
      readonly entryPoints: readonly string[];
    };
    const { exports } = JSON.parse(page("package.json").text) as { readonly exports: object };
    const sources = new Map(Object.entries(tsconfig.compilerOptions.paths));
    const subpaths = Object.keys(exports).map((subpath) => subpath.replace(".", "async-request-reply"));
    expect([...sources.keys()].sort()).toEqual(subpaths.sort());
    const files = [...sources.values()].map(([file = ""]) => file.slice("./".length));
    expect([...entryPoints].sort()).toEqual(files.sort());
  });
});
