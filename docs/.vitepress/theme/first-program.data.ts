import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMarkdownRenderer, type SiteConfig } from "vitepress";

/** The blocks of code of the home page, rendered. */
export declare const data: {
  readonly install: string;
  /** The program, and a request with its 202. */
  readonly program: string;
};

export default {
  watch: ["../../index.md"],
  load: async (): Promise<typeof data> => {
    const { srcDir, markdown, site, logger } = (globalThis as unknown as { VITEPRESS_CONFIG: SiteConfig })
      .VITEPRESS_CONFIG;
    const blocks = readFileSync(join(srcDir, "index.md"), "utf8").match(/^```\w[\s\S]*?^```$/gm) ?? [];
    if (blocks.length !== 3)
      throw new Error("docs/index.md must have the installation, a program and a request.");
    const renderer = await createMarkdownRenderer(srcDir, markdown, site.base, logger);
    const [install = "", ...program] = blocks;
    return { install: renderer.render(install), program: renderer.render(program.join("\n\n")) };
  },
};
