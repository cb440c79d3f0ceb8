import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A file that a browser loads. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** Bundles the pages, by the paths of their files. */
export async function bundlePages(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const [path, name] of [
    ["/", "answers"],
    ["/chat", "chat"],
  ] as const) {
    const text = await bundle(new URL(`../page/${name}.tsx`, import.meta.url));
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Answers</title><link rel="icon" href="data:,"><main id="root"></main><script type="module" src="/${name}.js"></script></html>`;
    files.set(path, { type: "text/html; charset=utf-8", text: html });
    files.set(`/${name}.js`, { type: "text/javascript; charset=utf-8", text });
  }
  return files;
}

async function bundle(entry: URL): Promise<string> {
  const client = "async-request-reply/client";
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    // In your project, the bundler finds the package by itself.
    alias: { [client]: fileURLToPath(import.meta.resolve(client)) },
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: "automatic",
    format: "esm",
    bundle: true,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
