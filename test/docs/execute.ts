import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { embeddedFiles } from "../../embedded-files.js";
import { type Block, root } from "../support/pages.js";

/** A folder for modules that are built from blocks. */
export interface Workshop {
  /** Bundles a block, which shares the package with the other blocks. Returns the file, which Node can run. */
  bundle(block: Block): Promise<string>;
  remove(): void;
}

const options: BuildOptions = {
  tsconfig: join(root, "tsconfig.json"),
  bundle: true,
  loader: { ".sql": "text" },
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "silent",
};

/** Source files of the package, by specifier. */
const { paths } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")).compilerOptions as {
  readonly paths: Readonly<Record<string, readonly [string]>>;
};

/** Opens a workshop in a temporary folder. */
export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  let built: Promise<unknown> | undefined;

  /** Builds the package once, because that takes longer than to build and run a block. */
  const buildPackage = (): Promise<unknown> =>
    build({
      ...options,
      entryPoints: Object.fromEntries(
        Object.entries(paths).map(([name, [path]]) => [name, join(root, path)]),
      ),
      outExtension: { ".js": ".mjs" },
      outdir: folder,
      plugins: [embeddedFiles],
      splitting: true,
    });

  return {
    bundle: async ({ place, text }) => {
      built ??= buildPackage();
      await built;
      const outfile = join(folder, `${place.replaceAll(/[/:]/g, "-")}.mjs`);
      await build({
        ...options,
        stdin: { contents: text, loader: "ts", resolveDir: root, sourcefile: place },
        external: ["vitest"],
        plugins: [
          {
            name: "package",
            setup: ({ onResolve }) =>
              onResolve({ filter: /^async-request-reply(\/|$)/ }, ({ path }) => ({
                path: `./${path}.mjs`,
                external: true,
              })),
          },
        ],
        outfile,
      });
      return outfile;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
