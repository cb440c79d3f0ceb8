import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { builtFile } from "../support/built.js";

export type Format = "import" | "require";

const require = createRequire(import.meta.url);

/** Loads a subpath of the built package. The caller knows its exports. */
export async function load<Module extends object>(subpath: string, format: Format): Promise<Module> {
  const file = builtFile(subpath, format);
  return (format === "require" ? require(file) : await import(pathToFileURL(file).href)) as Module;
}
