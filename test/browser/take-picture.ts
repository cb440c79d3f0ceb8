import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { root } from "../support/built.js";

/** Takes a picture if `SCREENSHOTS` names a folder. The pictures of the documentation are made this way. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: folder } = process.env;
  if (folder === undefined) return;
  mkdirSync(join(root, folder), { recursive: true });
  await page.screenshot({ path: join(root, folder, `${name}.png`) });
}
