import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";

const dist = join(import.meta.dirname, "../../docs/.vitepress/dist");

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Paths of all pages of the built site, such as `/workers`. */
export function sitePaths(): string[] {
  if (!existsSync(dist)) throw new Error("The site is not built. Run `npm --prefix docs run build` first.");
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html") && file !== "404.html")
    .map((file) => `/${file.replaceAll("\\", "/").replace(/(^|\/)index\.html$|\.html$/, "$1")}`)
    .sort();
}

/** Serves the built site during the tests of a file. Returns the address of a path. */
export function useSite(): (path: string) => string {
  const server = createServer(({ url = "/" }, res) => {
    const path = join(dist, decodeURIComponent(new URL(url, "http://site").pathname));
    const file = [path, `${path}.html`, join(path, "index.html")].find(isFile);
    if (file === undefined) res.writeHead(404).end();
    else res.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
