import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { buildSync, type Plugin } from "esbuild";

/** Imports that end in this become the text of the file. TypeScript and stylesheets are bundled and minified first. */
const SUFFIX = "?embedded";

/**
 * Replaces the suffix in the ids of the files. An id that ended in its extension or in a query would look like a
 * stylesheet to tsup and Vitest, which handle those themselves.
 */
const MARK = "#embedded";

/** Embeds files in the build. */
export const embeddedFiles: Plugin = {
  name: "embedded-files",
  setup: (build) => {
    build.onResolve({ filter: /\?embedded$/ }, ({ path, resolveDir }) => ({
      // The build contains this path in a comment, and a build must not depend on the folder that it runs in.
      path: relative("", resolve(resolveDir, path)).replace(SUFFIX, MARK),
      namespace: "embedded",
    }));
    build.onLoad({ filter: /#embedded$/, namespace: "embedded" }, ({ path }) => ({
      contents: toText(path.slice(0, -MARK.length)),
      loader: "text",
    }));
  },
};

/** Embeds SQL in the build. */
export const sqlFiles: Plugin = {
  name: "sql-files",
  setup: (build) => {
    build.onLoad({ filter: /\.sql$/ }, ({ path }) => ({
      contents: withoutComments(readFileSync(path, "utf8")),
      loader: "text",
    }));
  },
};

/** Embeds SQL in tests that run the source. */
export const sqlFilesInTests = {
  name: "sql-files",
  transform: (text: string, id: string): { code: string; map: null } | undefined =>
    id.endsWith(".sql")
      ? { code: `export default ${JSON.stringify(withoutComments(text))};`, map: null }
      : undefined,
};

/** Removes the comments of SQL, which take a sixth of it. */
function withoutComments(sql: string): string {
  return sql.replaceAll(/^ *--.*\n/gm, "");
}

/** Embeds files in tests that run the source. */
export const embeddedFilesInTests = {
  name: "embedded-files",
  enforce: "pre" as const,
  resolveId: (source: string, importer: string | undefined): string | undefined =>
    source.endsWith(SUFFIX) && importer !== undefined
      ? `\0${resolve(dirname(importer), source).replace(SUFFIX, MARK)}`
      : undefined,
  load: (id: string): string | undefined =>
    id.startsWith("\0") && id.endsWith(MARK)
      ? `export default ${JSON.stringify(toText(id.slice(1, -MARK.length)))};`
      : undefined,
};

function toText(path: string): string {
  if (!/\.(ts|css)$/.test(path)) return readFileSync(path, "utf8");
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  return outputFiles[0]?.text ?? "";
}
