import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { embeddedFiles } from "../../embedded-files.js";
import { type Block, root } from "../support/pages.js";

/** A folder for modules that are built from blocks. */
export interface Workshop {
  /** Bundles a block, which shares the package with the other blocks. Returns the file, which Node can run. */
  bundle(block: Block): Promise<string>;
  /** Bundles and imports a block. The caller knows its exports. */
  load<Exports>(block: Block): Promise<Exports>;
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

const sharedPackage: Plugin = {
  name: "package",
  setup: ({ onResolve }) => {
    const filter = /^async-request-reply(\/|$)/;
    onResolve({ filter }, ({ path }) => ({ path: `./${path}.mjs`, external: true }));
  },
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

  async function bundle({ place, text }: Block): Promise<string> {
    built ??= buildPackage();
    await built;
    const outfile = join(folder, `${place.replaceAll(/[/:]/g, "-")}.mjs`);
    await build({
      ...options,
      stdin: { contents: text, loader: "ts", resolveDir: root, sourcefile: place },
      external: ["vitest"],
      plugins: [sharedPackage],
      outfile,
    });
    return outfile;
  }

  return {
    bundle,
    load: async (block) => import(pathToFileURL(await bundle(block)).href),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
