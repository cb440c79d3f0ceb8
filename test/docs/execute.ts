import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { type Block, root } from "../support/pages.js";

/** A folder for modules that are built from blocks. */
export interface Workshop {
  /** Bundles a block with the sources of the package. Returns the file, which Node can run. */
  bundle(block: Block): Promise<string>;
  remove(): void;
}

/** Opens a workshop in a temporary folder. */
export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  return {
    bundle: async ({ place, text }) => {
      const outfile = join(folder, `${place.replaceAll(/[/:]/g, "-")}.mjs`);
      await build({
        stdin: { contents: text, loader: "ts", resolveDir: root, sourcefile: place },
        tsconfig: join(root, "tsconfig.json"),
        bundle: true,
        external: ["vitest"],
        loader: { ".sql": "text" },
        platform: "node",
        format: "esm",
        target: "node20",
        logLevel: "silent",
        outfile,
      });
      return outfile;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
