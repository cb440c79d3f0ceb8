import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { page, pages, root } from "../support/pages.js";

const overview = page("docs/index.md");

interface Group {
  readonly members: readonly string[];
}

/** Names that the main entry exports. Those of types begin with `type `. */
const exported = [...page("src/index.ts").text.matchAll(/^export (type )?\{([^}]+)\}/gm)].flatMap(
  ([, type = "", names = ""]) => (names.match(/(type )?\w+/g) ?? []).map((name) => type + name),
);

describe("what is in the package, on the start page", () => {
  it("lists the subpaths of the package", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, unknown>>;
      readonly engines: { readonly node: string };
    };
    const listed = [...overview.text.matchAll(/^\| `async-request-reply(\/[\w-]+)?` \|/gm)].map(
      ([, path = ""]) => `.${path}`,
    );
    expect(listed).toEqual(Object.keys(manifest.exports));
    expect(overview.text).toContain(`Node \`${manifest.engines.node}\``);
  });

  it("leaves the exports of the main entry to the reference, which names all of them, and there are few", () => {
    const types = exported.filter((name) => name.startsWith("type "));
    expect(exported.length - types.length).toBeLessThanOrEqual(22);
    expect(types.length).toBeLessThanOrEqual(62);
    const groups = JSON.parse(page("docs/reference-groups.json").text) as readonly Group[];
    expect(groups.flatMap(({ members }) => members).sort()).toEqual(
      exported.map((name) => name.replace("type ", "")).sort(),
    );
  });

  it("has a guide to every function of the main entry", () => {
    const guides = pages.filter(
      ({ path }) => /^(docs\/[\w-]+|README)\.md$/.test(path) && path !== overview.path,
    );
    const words = new Set(guides.flatMap(({ text }) => text.match(/\w+/g) ?? []));
    expect(exported.filter((name) => !name.startsWith("type ") && !words.has(name))).toEqual([]);
  });

  it("states the size of the package's own code in a bundle, within 1 KB", async () => {
    const [, stated] = /takes about (\d+) KB,/.exec(overview.text) ?? [];
    const { outputFiles } = await build({
      entryPoints: [join(root, "src/index.ts")],
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      external: ["zod", "uuid"],
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength;
    expect(Math.abs(Number(stated) - bytes / 1024)).toBeLessThan(1);
  });
});
