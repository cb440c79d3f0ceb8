import { fileURLToPath } from "node:url";
import type { OrmLibrary } from "./library.js";

/** Loads a library by the name of its module. */
export async function loadLibrary(
  name: string,
): Promise<{ readonly library: OrmLibrary; readonly file: string }> {
  const url = new URL(`libraries/${name}.mjs`, import.meta.url);
  const { library } = (await import(url.href)) as { readonly library: OrmLibrary };
  return { library, file: fileURLToPath(url) };
}
