import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMarkdownRenderer, type SiteConfig } from "vitepress";

/** The first program of the home page, rendered. */
export declare const data: string;

export default {
  watch: ["../../index.md"],
  load: async (): Promise<string> => {
    const { srcDir, markdown, site, logger } = (globalThis as unknown as { VITEPRESS_CONFIG: SiteConfig })
      .VITEPRESS_CONFIG;
    const [program] = /^```js[\s\S]*?^```$/m.exec(readFileSync(join(srcDir, "index.md"), "utf8")) ?? [];
    if (program === undefined) throw new Error("docs/index.md has no program.");
    return (await createMarkdownRenderer(srcDir, markdown, site.base, logger)).render(program);
  },
};
