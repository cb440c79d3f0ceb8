import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Folder of this checkout. */
export const own = fileURLToPath(new URL("../..", import.meta.url));

/** Loads an entry of the build that this process measures: the checkout in BENCH_BUILD, or this one. */
export function load(entry) {
  return import(pathToFileURL(resolve(process.env.BENCH_BUILD ?? own, `dist/${entry}.js`)).href);
}

/** Splits the arguments of a benchmark into the folder after `--against`, if it is there, and the others. */
export function readArguments([...rest] = process.argv.slice(2)) {
  const at = rest.indexOf("--against");
  if (at === -1) return { rest };
  const [, folder = ""] = rest.splice(at, 2);
  const before = resolve(folder);
  if (folder === "" || !existsSync(`${before}/dist/index.js`)) {
    throw new Error(
      `\`--against\` takes the folder of another checkout that is built, and not "${folder}". Run \`npm ci && npm run build\` there.`,
    );
  }
  return { before, rest };
}
