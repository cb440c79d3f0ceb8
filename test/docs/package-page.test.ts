import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { page, root } from "../support/pages.js";

const overview = page("docs/package.md");

describe("the page about the package", () => {
  it("lists the subpaths of the package", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, unknown>>;
      readonly engines: { readonly node: string };
    };
    const listed = [...overview.text.matchAll(/^\| `async-request-reply(\/\w+)?` \|/gm)].map(
      ([, path = ""]) => `.${path}`,
    );
    expect(listed).toEqual(Object.keys(manifest.exports));
    expect(overview.text).toContain(`Node \`${manifest.engines.node}\``);
  });

  it("states the size of the package's own code in a bundle, within 2 KB", async () => {
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
    expect(Math.abs(Number(stated) - bytes / 1024)).toBeLessThanOrEqual(2);
  });
});
