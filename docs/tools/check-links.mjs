// Follows every link inside of the built site to its file and anchor: vitepress itself looks for pages only.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const dist = join(import.meta.dirname, "../.vitepress/dist");
const pages = readdirSync(dist, { recursive: true })
  .filter((file) => file.endsWith(".html") && file !== "404.html")
  .map((file) => ({ file: file.replaceAll("\\", "/"), html: readFileSync(join(dist, file), "utf8") }));
const anchors = new Map(pages.map(({ file, html }) => [file, new Set(attributes(html, "id"))]));

const broken = pages.flatMap(({ file, html }) =>
  attributes(html, "href")
    .filter((href) => !exists(new URL(href, `http://site/${file}`)))
    .map((href) => `${file}: ${href}`),
);
if (broken.length > 0) throw new Error(`nothing is at these links:\n${[...new Set(broken)].join("\n")}`);

function exists({ host, pathname, hash }) {
  if (host !== "site") return true;
  const path = decodeURIComponent(pathname.slice(1));
  const file = [path, `${path}.html`, `${path}index.html`].find((each) => anchors.has(each));
  if (file === undefined) return path !== "" && existsSync(join(dist, path));
  return hash === "" || anchors.get(file).has(decodeURIComponent(hash.slice(1)));
}

/** Returns the values of an attribute. VitePress quotes them and uses no entity except `&amp;`. */
function attributes(html, name) {
  const found = html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"));
  return [...found].map(([, value]) => value.replaceAll("&amp;", "&"));
}
